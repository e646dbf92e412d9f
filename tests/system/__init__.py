"""Tests of real processes, as users start them."""
