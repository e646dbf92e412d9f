"""The web: JSON and pages from the published snapshot, over HTTP."""
