"""Tests of syswatch.terminal."""
