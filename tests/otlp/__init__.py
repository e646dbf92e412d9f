"""Tests of pushing with OTLP."""
