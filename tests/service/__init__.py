"""Tests of syswatch.service."""
