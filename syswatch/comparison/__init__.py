"""What changed between runs: figures, bands, changes, and how they are told."""
