"""The text of calls that real programs make, compared with what strace prints."""
