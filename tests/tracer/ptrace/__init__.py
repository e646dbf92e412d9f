"""Tests of the ptrace backend."""
