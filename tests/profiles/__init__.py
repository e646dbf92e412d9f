"""Tests of syswatch.profiles."""
