"""Tests of reading recordings."""
