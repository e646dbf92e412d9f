"""Tests of recordings made of logs."""
