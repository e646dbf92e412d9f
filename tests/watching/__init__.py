"""Tests of watching blocks and commands."""
