"""Recordings in the formats of other tools: a module for each, and a registry of them."""
