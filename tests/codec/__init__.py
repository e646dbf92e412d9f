"""Tests of `syswatch.codec`."""
