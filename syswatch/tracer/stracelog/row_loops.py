"""The loops over the rows of a log: compiled, or in Python where there was no compiler."""

try:
    from . import compiled_loops as loops
except ImportError:
    from . import python_loops as loops  # type: ignore[no-redef]

__all__ = ["loops"]
