"""Diagnostics of the server itself, at the paths where Go programs have theirs."""
