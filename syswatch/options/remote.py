"""`syswatch top`: another server, on this terminal."""

import re
from urllib.parse import urlsplit

from twisted.python import usage

from syswatch.options.config import Remote

from . import checks
from .base import BaseOptions
from .effects import check_contradictions, check_unused

# A path is where a proxy has put the server; there is no user and no query.
_URL = re.compile(r"https?://[^@?#\s]+\Z")
_LONGEST_NAME = 253


class TopOptions(BaseOptions):
    """The flags of `top`."""

    synopsis = "Usage: syswatch top [options] URL"
    longdesc = "Show status and top calls of a server, as it serves them."
    optParameters = [
        ["http-token", None, None, "Present this token."],
        ["http-token-file", None, None, "Read the token from this file."],
    ]

    def parseArgs(self, url: str = "", *others: str) -> None:
        """Take the URL."""
        checks.options_first((url, *others))
        if others:
            raise usage.UsageError("top looks at one server only")
        text = url if "//" in url else f"http://{url}"
        try:
            host = urlsplit(text).hostname or ""
            _ = urlsplit(text).port  # Reading it is what checks it.
            is_good = (
                _URL.match(text) is not None
                and text.isascii()
                and text.isprintable()
                and 0 < len(host) <= _LONGEST_NAME
            )
        except ValueError:
            is_good = False
        if not url or not is_good:
            raise usage.UsageError(f"top needs the URL of a server: '{url}' is none")
        self.url = text if text.endswith("/") else f"{text}/"

    def action(self) -> Remote:
        """Return where to look."""
        check_unused(self, "top", ("http-token", "http-token-file"))
        check_contradictions(self)
        return Remote(self.url, self.token("http-token"))
