"""The URL of a server, as it is typed."""

import re
from urllib.parse import urlsplit

# The path is where a proxy serves it; a user and a query are not supported.
_URL = re.compile(r"https?://[^@?#\s]+\Z")
_PORT_ALONE = re.compile(r":[0-9]")
_MAX_HOST_LENGTH = 253


class UrlError(Exception):
    """A text that is not the URL of a server; the message is one sentence for the user."""


def server_url(text: str, example: str = "localhost:8080") -> str:
    """
    Return a URL with a scheme and a slash at its end; raise UrlError if it is invalid.

    A port alone, as in `--serve :8080`, is one of this machine.  The error has an example of a
    valid URL.
    """
    named = f"localhost{text}" if _PORT_ALONE.match(text) else text
    whole = named if "//" in named else f"http://{named}"
    try:
        host = urlsplit(whole).hostname or ""
        _ = urlsplit(whole).port  # Reading it checks it.
        is_valid = (
            _URL.match(whole) is not None
            and whole.isascii()
            and whole.isprintable()
            and 0 < len(host) <= _MAX_HOST_LENGTH
        )
    except ValueError:
        is_valid = False
    if not is_valid:
        raise UrlError(f"invalid URL '{text}' (expected one such as {example})")
    return whole if whole.endswith("/") else f"{whole}/"
