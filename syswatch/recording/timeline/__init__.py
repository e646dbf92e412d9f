"""The timeline of a recording: lanes of threads, sums of time for each column, single calls."""
