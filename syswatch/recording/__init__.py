"""Recordings of every call: writing, reading, questions and exports."""
