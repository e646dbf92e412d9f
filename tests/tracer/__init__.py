"""Tests of syswatch.tracer."""
