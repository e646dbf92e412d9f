"""Tests of syswatch.web."""
