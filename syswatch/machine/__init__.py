"""The machine: which processes it has, and what it allows."""
