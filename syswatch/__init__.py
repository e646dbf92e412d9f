"""syswatch: watch the system calls of a running program."""
