"""Tests of the catalog of system calls."""
