"""The tests of syswatch, laid out as the package is."""
