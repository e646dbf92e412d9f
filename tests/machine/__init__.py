"""Tests of syswatch.machine."""
