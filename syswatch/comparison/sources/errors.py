"""What all sources share: their error, and the limit of their size."""

# A summary of 20 000 processes with 20 000 objects has some 30 MiB.
LARGEST_SUMMARY = 256 << 20


class SourceError(Exception):
    """A source cannot be read; the message is one sentence for the user."""


class TokenNeededError(SourceError):
    """A server requires a token; `what` is "a", or "another"."""

    def __init__(self, url: str, what: str) -> None:
        super().__init__(url, what)
        self.url = url
        self.what = what

    def __str__(self) -> str:
        return f"{self.url} requires {self.what} token (use --http-token TOKEN)"
