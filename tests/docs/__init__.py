"""Tests of the documentation: what it lists is what the code has."""
