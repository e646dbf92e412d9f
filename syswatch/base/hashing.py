"""A hash of names that needs nothing else: `hashlib` loads OpenSSL, 2 ms and 4 MB for a process."""

try:
    from _blake2 import blake2b
except ImportError:  # Another interpreter.
    from hashlib import blake2b

__all__ = ("blake2b",)
