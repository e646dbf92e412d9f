"""Tests of syswatch.views."""
