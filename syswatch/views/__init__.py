"""Views: pure functions of a snapshot."""
