"""Frozen values: what a tracer sends, what an aggregator sums, what a view shows."""
