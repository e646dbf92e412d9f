"""The service: starts the tracer, sums what it reports and publishes a snapshot every tick."""
