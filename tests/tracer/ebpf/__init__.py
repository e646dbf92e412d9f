"""Tests of the tracer in the kernel."""
