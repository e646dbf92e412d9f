"""The HTTP service: JSON and pages from the newest snapshot."""
