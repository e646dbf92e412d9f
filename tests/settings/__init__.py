"""Tests of `syswatch.settings`."""
