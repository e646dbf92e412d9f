"""The tracer of living programs that stands on ptrace(2): it needs nothing but the kernel."""
