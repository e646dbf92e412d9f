"""Tests of reading on a Dask cluster."""
