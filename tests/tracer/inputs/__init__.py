"""Tests of `syswatch.tracer.inputs`."""
