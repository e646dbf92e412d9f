"""Tests of the sources of runs."""
