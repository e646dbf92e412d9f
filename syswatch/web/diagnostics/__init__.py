"""Diagnostics of the server itself, at the paths that Go programs use."""
