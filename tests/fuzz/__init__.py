"""Fuzzing of everything that reads what others wrote, and the inputs that were worth keeping."""
