"""Tests of the timeline of a recording."""
