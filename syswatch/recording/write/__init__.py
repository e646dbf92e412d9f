"""The process that writes recordings."""
