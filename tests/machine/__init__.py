"""Tests of what is known about the machine."""
