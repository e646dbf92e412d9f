"""The printing of calls, against strace itself."""
