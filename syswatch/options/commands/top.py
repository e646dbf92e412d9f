"""`syswatch top`: show the numbers of another server."""

from syswatch.options import checks
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Remote
from syswatch.options.declaration import GENERAL, Command, Example
from syswatch.options.effects import check_effects
from syswatch.options.serving import PRESENTED_TOKEN, token
from syswatch.settings.url import UrlError, server_url


def _run(arguments: Arguments) -> Remote:
    checks.options_first(arguments.operands)
    if not arguments.operands:
        raise UsageError("top: missing URL, as in 'syswatch top localhost:8080'")
    url, *others = arguments.operands
    if others:
        raise UsageError("top takes a single URL")
    check_effects(arguments)
    try:
        return Remote(server_url(url), token(arguments, "http-token"))
    except UrlError as error:
        raise UsageError(f"top: {error}") from error


COMMAND = Command(
    "top",
    "Show the numbers of another syswatch server",
    "[OPTION...] URL",
    "URL is that of a server started with --serve; 'http://' may be left out.  A port such as"
    " ':8080' is one of this machine.",
    (
        Example("syswatch top localhost:8080", "update every second"),
        Example("syswatch top --http-token-file token web:8080", "read a token from a file"),
    ),
    (
        *PRESENTED_TOKEN,
        *GENERAL,
    ),
    _run,
)
