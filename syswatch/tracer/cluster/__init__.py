"""
Reads inputs on the workers of a Dask cluster.

`ClusterReading` runs beside the scheduler.  It lets the workers look at each input (`plan`), and
submits tasks: one for each input, or for each part of a large log (`tasks`).  Their results are
pieces, which other tasks add in the order of the inputs (`submission`); the sums go to the service
as they come.  A piece is made by the same readers as without a cluster, so the sums are the same.
"""
