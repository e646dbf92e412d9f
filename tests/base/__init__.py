"""Tests of `syswatch.base`."""
