"""Fuzzing of everything that reads untrusted input, with the inputs that once failed."""
