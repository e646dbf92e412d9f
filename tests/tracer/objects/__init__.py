"""Tests of syswatch.tracer.objects."""
