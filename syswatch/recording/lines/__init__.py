"""A line for each call: the text of strace, or JSON."""
