"""The option that pushes to an OpenTelemetry Collector, and the environment that refines it."""

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

from syswatch.settings.push import Endpoint, Push
from syswatch.settings.url import UrlError, server_url

from . import checks
from .arguments import Arguments, UsageError
from .declaration import Clash, Group, Option
from .serving import metric_limits
from .suggestions import invalid_choice

OPTION = Option(
    "otlp",
    "Push metrics, slow calls and alerts to an OpenTelemetry Collector at URL ('env': that of"
    " OTEL_EXPORTER_OTLP_ENDPOINT)",
    Group.SERVE,
    metavar="URL",
)
SPANS = Option(
    "otlp-spans",
    "Push slow calls as spans, if the environment of their process has TRACEPARENT",
    Group.SERVE,
    needs=("otlp",),
    clashes=(
        Clash("mode", "measures no durations", "counts"),
        Clash("no-objects", "keeps no slowest calls"),
    ),
)
_FROM_ENVIRONMENT = "env"
_PROTOCOL = "http/protobuf"
_COMPRESSIONS = ("gzip", "none")
_PACKAGES = {"opentelemetry.proto": "opentelemetry-proto", "OpenSSL": "pyOpenSSL"}
_PATHS = {"METRICS": "v1/metrics", "LOGS": "v1/logs", "TRACES": "v1/traces"}
_DEFAULT_MS = {"TIMEOUT": 10_000, "INTERVAL": 60_000}
# Encoding takes milliseconds.
_LEAST_MS = 100
_MOST_DIGITS = 9
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def push(arguments: Arguments, environment: Mapping[str, str] | None = None) -> Push | None:
    """Return where to push to, or None without --otlp: variables alone do not switch it on."""
    url = checks.name(arguments, OPTION.name)
    if not url:
        return None
    label = arguments.label(OPTION.name)
    _check_series(arguments)
    # An empty variable is an unset one, says the specification.
    given = {k: v for k, v in (environment or os.environ).items() if v}
    pushed = Push(
        metrics=_endpoint(label, url, "METRICS", given),
        logs=_endpoint(label, url, "LOGS", given),
        traces=_endpoint(label, url, "TRACES", given) if arguments.has(SPANS.name) else None,
        interval_s=_seconds(given, ("OTEL_METRIC_EXPORT_INTERVAL",), "INTERVAL", _LEAST_MS),
        resource=_resource(given),
        group_rows=metric_limits(arguments).group_rows,
    )
    _check_packages(label, pushed)
    return pushed


def _check_series(arguments: Arguments) -> None:
    """Refuse a limit of series that limits nothing: what is pushed of calls is not limited."""
    if arguments.has("metrics-series") and not (arguments.has("serve") or arguments.has("by")):
        raise UsageError("--metrics-series has no effect without --serve or --by")


def _endpoint(label: str, url: str, signal: str, given: Mapping[str, str]) -> Endpoint:
    def names(setting: str) -> tuple[str, str]:
        # That of one signal comes first.
        return f"OTEL_EXPORTER_OTLP_{signal}_{setting}", f"OTEL_EXPORTER_OTLP_{setting}"

    def value(setting: str) -> tuple[str, str]:
        """Return the name and the text of the variable that counts."""
        return next(((name, given[name]) for name in names(setting) if name in given), ("", ""))

    compression_name, compression = value("COMPRESSION")
    if compression and compression not in _COMPRESSIONS:
        raise UsageError(invalid_choice(compression_name, compression, _COMPRESSIONS))
    endpoint = Endpoint(
        url=_url(label, url, signal, given),
        headers=_headers(*value("HEADERS")),
        timeout_s=_seconds(given, names("TIMEOUT"), "TIMEOUT", 1),
        gzip=compression == "gzip",
        certificate=_file(*value("CERTIFICATE")),
        client_certificate=_file(*value("CLIENT_CERTIFICATE")),
        client_key=_file(*value("CLIENT_KEY")),
    )
    if bool(endpoint.client_key) != bool(endpoint.client_certificate):
        raise UsageError(
            f"{names('CLIENT_KEY')[1]} and {names('CLIENT_CERTIFICATE')[1]} need each other"
        )
    return endpoint


def _url(label: str, url: str, signal: str, given: Mapping[str, str]) -> str:
    path = _PATHS[signal]
    if url != _FROM_ENVIRONMENT:
        if url.rstrip("/").endswith(tuple(_PATHS.values())):
            raise UsageError(f"{label}: the path is added to the URL (leave out /v1/...)")
        return _checked(label, url) + path
    of_signal, base = f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"
    _check_protocol(label, signal, given)
    if of_signal in given:
        checked = _checked(of_signal, given[of_signal])
        # It is used as it is.
        is_whole = urlsplit(checked).path == "/" or given[of_signal].endswith("/")
        return checked if is_whole else checked.removesuffix("/")
    if base in given:
        return _checked(base, given[base]) + path
    raise UsageError(f"{label} {_FROM_ENVIRONMENT}: {base} is not set")


def _check_protocol(label: str, signal: str, given: Mapping[str, str]) -> None:
    for name in (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if name in given:
            if given[name] != _PROTOCOL:
                raise UsageError(
                    f"{label} {_FROM_ENVIRONMENT}: {name} is '{given[name]}', but only {_PROTOCOL}"
                    " is supported (its usual port is 4318)"
                )
            return


def _checked(label: str, url: str) -> str:
    try:
        return server_url(url, "localhost:4318")
    except UrlError as error:
        raise UsageError(f"{label}: {error}") from error


def _seconds(given: Mapping[str, str], names: tuple[str, ...], kind: str, least: int) -> float:
    for name in names:
        text = given.get(name)
        if text is None:
            continue
        is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
        if not is_number or int(text) < least:
            raise UsageError(
                f"{name}: invalid value '{text}' (expected a number of milliseconds, at least"
                f" {least})"
            )
        return int(text) / 1000
    return _DEFAULT_MS[kind] / 1000


def _file(name: str, file: str) -> str:
    if file:
        try:
            checks.check_readable(file, is_only_one=True)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from error
    return file


def _headers(name: str, text: str) -> tuple[tuple[str, str], ...]:
    headers = _pairs(name, text)
    for key, value in headers:
        # The value may be a secret.
        if not _HEADER.fullmatch(key) or not value.isascii() or not value.isprintable():
            raise UsageError(f"{name}: invalid header '{key}'")
    return headers


def _resource(given: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    name = "OTEL_RESOURCE_ATTRIBUTES"
    found = dict(_pairs(name, given.get(name, "")))
    if service := given.get("OTEL_SERVICE_NAME"):
        found["service.name"] = service
    for key, value in found.items():
        if not _is_text(key + value):
            source = "OTEL_SERVICE_NAME" if value == service else name
            raise UsageError(f"{source}: the value is not UTF-8 text")
    return tuple(found.items())


def _is_text(value: str) -> bool:
    """Return whether a variable holds text: other bytes are kept as surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _pairs(name: str, text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a list such as `a=1,b=2`, in which values are percent-encoded."""
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        key, equals, value = part.partition("=")
        if not (key.strip() and equals):
            raise UsageError(f"{name}: invalid list (expected NAME=VALUE,NAME=VALUE)")
        found.append((key.strip(), unquote(value.strip())))
    return tuple(found)


def _check_packages(label: str, pushed: Push) -> None:
    is_secure = any(each.url.startswith("https:") for each in pushed.endpoints.values())
    for module in _PACKAGES if is_secure else list(_PACKAGES)[:1]:
        if not _is_installed(module):
            raise UsageError(
                f"{label}: OTLP needs the package {_PACKAGES[module]}: pip install 'syswatch[otlp]'"
            )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False  # Not even the package that it is in.
