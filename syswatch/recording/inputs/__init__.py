"""
Makes recordings of whatever a query is about: logs, recordings at URLs, or those of a directory.

`gathering` opens them all.  A recording in a directory is read where it is.  Others get a temporary
directory (`prepare`), into which logs are imported, and files are fetched.  The workers of a Dask
cluster may do that (`cluster`); they return the columns that the query needs and no others
(`pruning`).
"""
