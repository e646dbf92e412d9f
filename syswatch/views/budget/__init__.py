"""Where the time went: the time budget, and everything that explains it."""
