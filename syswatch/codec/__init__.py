"""Formats of bytes from and to other processes: frames on pipes, recordings, and their escaping."""
