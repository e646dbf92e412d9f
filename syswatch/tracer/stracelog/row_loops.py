"""The loops over the rows of a log, and their sums: compiled, or in Python without a compiler."""

try:
    from . import compiled_loops as loops
    from . import compiled_sums as running
except ImportError:
    from . import python_loops as loops  # type: ignore[no-redef]
    from . import python_sums as running  # type: ignore[no-redef]

__all__ = ["loops", "running"]
