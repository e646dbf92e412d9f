"""Tests of syswatch.recording.lines."""
