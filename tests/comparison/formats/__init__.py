"""Tests of the formats of comparisons."""
