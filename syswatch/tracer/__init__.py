"""The tracer, a child process that observes and sums up; it never imports Twisted."""
