"""Tests of the time budget."""
