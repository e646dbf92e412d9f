"""Names without what differs between runs of the same program, so that they can be compared."""
