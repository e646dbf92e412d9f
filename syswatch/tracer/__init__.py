"""The tracer: a child process that observes and condenses; it never imports Twisted."""
