"""Budgets: limits for a run, where they are written, and whether a run is within them."""
