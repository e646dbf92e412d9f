"""Questions about a recording, in SQL."""
