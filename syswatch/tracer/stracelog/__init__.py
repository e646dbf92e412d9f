"""Reading of the logs that strace writes."""
