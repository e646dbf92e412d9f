"""Tests of what queries read."""
