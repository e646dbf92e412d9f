"""Tests of the tracer that stands on ptrace."""
