"""Tests of `syswatch.app`."""
