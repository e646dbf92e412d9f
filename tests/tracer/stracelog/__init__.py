"""Tests of syswatch.tracer.stracelog."""
