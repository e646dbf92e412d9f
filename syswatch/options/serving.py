"""Options of the HTTP server."""

import attrs

from syswatch.settings.access import MOST_CLIENTS, Access, Token
from syswatch.settings.address import Address, AddressError
from syswatch.settings.metric_limits import BUCKETS, DEFAULT_SERIES, MOST_SERIES, MetricLimits

from . import checks
from .arguments import Arguments, UsageError
from .config import Serving
from .declaration import Group, Option, Value

HTTP_TOKEN = Option(
    "http-token",
    "Require this token for all data; pages and /healthz stay open",
    Group.SECURITY,
    metavar="TOKEN",
    needs=("serve",),
    excludes=("http-token-file",),
)
HTTP_TOKEN_FILE = Option(
    "http-token-file",
    "Read that token from a file",
    Group.SECURITY,
    metavar="FILE",
    value=Value.FILE,
    needs=("serve",),
)
# For the commands that ask a server.
PRESENTED_TOKEN = (
    attrs.evolve(HTTP_TOKEN, help="Present this token to the server", needs=()),
    attrs.evolve(HTTP_TOKEN_FILE, help="Read the token from a file", needs=()),
)
LOG_FORMAT = Option(
    "log-format",
    "Format of the server's log",
    Group.SERVE,
    metavar="FORMAT",
    choices=("text", "json"),
    default="text",
)
OPTIONS = (
    Option(
        "serve",
        "Serve HTTP on :PORT, HOST:PORT or a Twisted endpoint description, instead of showing"
        " the terminal UI",
        Group.SERVE,
        metavar="ADDRESS",
    ),
    Option(
        "max-clients",
        "Serve /stream to at most N clients",
        Group.SERVE,
        metavar="N",
        default=str(MOST_CLIENTS),
        needs=("serve",),
    ),
    Option(
        "metrics-buckets",
        "Cut each factor of 2 of the histograms in /metrics into N buckets, unless they are native",
        Group.SERVE,
        metavar="N",
        choices=tuple(map(str, BUCKETS)),
        default=str(MetricLimits().buckets),
        needs=("serve",),
    ),
    Option(
        "metrics-series",
        "Limit /metrics to N series, and what is pushed of groups to their share of these",
        Group.SERVE,
        metavar="N",
        default=str(DEFAULT_SERIES),
        needs=("serve", "otlp"),
    ),
    Option(
        "baseline",
        "Show what changed from this run: a recording, a log, a JSON summary or a URL",
        Group.SERVE,
        metavar="SOURCE",
        value=Value.FILE,
        repeatable=True,
        needs=("serve",),
    ),
    LOG_FORMAT,
    Option(
        "ws-token",
        "Require this token on /stream",
        Group.SECURITY,
        metavar="TOKEN",
        needs=("serve",),
        excludes=("ws-token-file",),
    ),
    Option(
        "ws-token-file",
        "Read the token for /stream from a file",
        Group.SECURITY,
        metavar="FILE",
        value=Value.FILE,
        needs=("serve",),
    ),
    HTTP_TOKEN,
    HTTP_TOKEN_FILE,
    Option(
        "allow-host",
        "Accept requests with this name in their Host header",
        Group.SECURITY,
        metavar="NAME",
        repeatable=True,
        needs=("serve",),
    ),
    Option(
        "trusted-proxy",
        "Trust the X-Forwarded headers of this address or network",
        Group.SECURITY,
        metavar="NETWORK",
        repeatable=True,
        needs=("serve",),
    ),
    Option("no-debug-endpoints", "Do not serve anything below /debug", Group.SECURITY),
)


def serving(arguments: Arguments, access: Access) -> Serving | None:
    """Return how to serve, or None without --serve."""
    address = arguments.value("serve")
    if address is None:
        return None
    try:
        return Serving(Address.parse(address), access, _baselines(arguments))
    except AddressError as error:
        raise UsageError(f"--serve: {error}") from error


def _baselines(arguments: Arguments) -> tuple[str, ...]:
    sources = tuple(arguments.every("baseline"))
    for source in sources:
        if source in ("", "-"):
            what = "standard input cannot be a baseline" if source else "the name is empty"
            raise UsageError(f"--baseline: {what}")
    return sources


def access(arguments: Arguments) -> Access:
    """Check the options of a server, even if there is none: a mistake is reported all the same."""
    return Access(
        allowed_hosts=frozenset(
            checks.host_name("--allow-host", name) for name in arguments.every("allow-host")
        ),
        trusted_proxies=tuple(
            checks.network("--trusted-proxy", text) for text in arguments.every("trusted-proxy")
        ),
        ws_token=token(arguments, "ws-token"),
        http_token=token(arguments, "http-token"),
        most_clients=checks.whole_number(arguments, "max-clients", least=1),
        metrics=metric_limits(arguments),
        debug_endpoints=not arguments.has("no-debug-endpoints"),
    )


def metric_limits(arguments: Arguments) -> MetricLimits:
    """Return how many series there may be, and what they are spent on."""
    buckets = int(checks.choice(arguments, "metrics-buckets"))
    limits = MetricLimits(buckets=buckets, groups=arguments.has("by"))
    least, most = limits.least_series, MOST_SERIES
    series = checks.whole_number(arguments, "metrics-series", least=least, most=most)
    return attrs.evolve(limits, series=series)


def token(arguments: Arguments, name: str) -> Token | None:
    """Return a token; an empty one is a mistake, such as an unset shell variable."""
    secret, file = arguments.value(name), arguments.value(f"{name}-file")
    label = f"--{name}"
    if file is not None:
        label = f"--{name}-file"
        secret = checks.first_line(label, checks.name(arguments, f"{name}-file"))
    if secret is None:
        return None
    if not secret.strip():
        raise UsageError(f"{label}: the token is empty")
    return Token(secret.strip().encode(errors="surrogateescape"))
