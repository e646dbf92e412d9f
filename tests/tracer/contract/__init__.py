"""Tests that hold for every backend, run with each of them."""
