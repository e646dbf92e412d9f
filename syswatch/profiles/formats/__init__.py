"""Profiles in the formats of the programs that enforce them: writing and reading."""
