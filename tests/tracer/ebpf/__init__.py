"""Tests of the eBPF backend."""
