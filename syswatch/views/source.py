"""What watches, in words."""


def watched_by(backend: str, only: str) -> str:
    """Name the backend, and the flags that leave calls out: their numbers are not of all calls."""
    return f"{backend}, only {only}" if only else backend
