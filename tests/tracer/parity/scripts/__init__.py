"""Programs that are traced."""
