"""Reading recordings: opening and checking them, the sums of any range of time, and more."""
