"""The service: one session owns the numbers, and publishes a snapshot a tick."""
