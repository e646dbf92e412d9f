"""`syswatch top`: show the numbers of another server."""

import re
from urllib.parse import urlsplit

import attrs

from syswatch.options import checks
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Remote
from syswatch.options.declaration import GENERAL, Command, Example
from syswatch.options.effects import check_effects
from syswatch.options.serving import HTTP_TOKEN, HTTP_TOKEN_FILE, token

# The path is where a proxy serves it; a user and a query are not supported.
_URL = re.compile(r"https?://[^@?#\s]+\Z")
_MAX_HOST_LENGTH = 253


def _run(arguments: Arguments) -> Remote:
    checks.options_first(arguments.operands)
    if not arguments.operands:
        raise UsageError("top: missing URL, as in 'syswatch top localhost:8080'")
    url, *others = arguments.operands
    if others:
        raise UsageError("top takes a single URL")
    check_effects(arguments)
    return Remote(_checked(url), token(arguments, "http-token"))


def _checked(url: str) -> str:
    """Return a URL with a scheme and a slash at its end."""
    text = url if "//" in url else f"http://{url}"
    try:
        host = urlsplit(text).hostname or ""
        _ = urlsplit(text).port  # Reading it checks it.
        is_valid = (
            _URL.match(text) is not None
            and text.isascii()
            and text.isprintable()
            and 0 < len(host) <= _MAX_HOST_LENGTH
        )
    except ValueError:
        is_valid = False
    if not is_valid:
        raise UsageError(f"top: invalid URL '{url}' (expected one such as localhost:8080)")
    return text if text.endswith("/") else f"{text}/"


COMMAND = Command(
    "top",
    "Show the numbers of another syswatch server",
    "[OPTION...] URL",
    "URL is that of a server started with --serve; 'http://' may be left out.",
    (
        Example("syswatch top localhost:8080", "update every second"),
        Example("syswatch top --http-token-file token web:8080", "read a token from a file"),
    ),
    (
        attrs.evolve(HTTP_TOKEN, help="Present this token to the server", needs=""),
        attrs.evolve(HTTP_TOKEN_FILE, help="Read the token from a file", needs=""),
        *GENERAL,
    ),
    _run,
)
