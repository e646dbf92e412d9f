"""Inputs of `stats`: logs of strace and recordings, from files, pipes and compressed files."""
