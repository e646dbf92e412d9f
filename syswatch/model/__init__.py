"""Immutable values: what a tracer sends, an aggregator sums, and a view shows."""
