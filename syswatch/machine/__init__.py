"""The machine: its processes, and what can be traced on it."""
