"""The terminal: what people see who do not ask for a server."""
