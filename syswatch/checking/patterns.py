"""Patterns in budgets: for calls, paths, peers and programs."""

import platform
import re
from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path

import attrs

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text
from syswatch.model.catalog import plain_name
from syswatch.model.filters import FilterError, traced_names

_MOST_PORT = 65_535
# What a name of a peer may begin with: an address and a port, or an IPv6 address in brackets.
_PEER = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<host>[^\s:]*))(?::(?P<port>[^\s:]*))?")
# They mean something else, or will, in a set of a regular expression.
_SET_OPERATORS = re.compile(r"[\\\[&~|]")
_WILDCARDS = re.compile(r"[*?\[]")
_SPECIAL = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)


class PatternError(Exception):
    """A pattern that cannot match anything; the message says why."""


@frozen
class Pattern:
    """A pattern as it was written, and what it matches."""

    text: str
    matches: Callable[[str], bool] = attrs.field(eq=False, repr=False)
    # Whether it may match a path of which only the end is known; of a path only.
    may_end: Callable[[str], bool] = attrs.field(default=lambda _: False, eq=False, repr=False)


def named_calls(expression: str) -> frozenset[str] | None:
    """Return the calls of an expression of --trace, or None for all; raise PatternError."""
    try:
        return traced_names(expression, platform.machine())
    except FilterError as error:
        raise PatternError(str(error)) from error


def of_calls(text: str) -> Pattern:
    """Return the pattern of a call or a class."""
    names = named_calls(text)
    return Pattern(text, lambda name: names is None or plain_name(name) in names)


# The user is unknown, or that of a container has no home.
HOMELESS = "the home directory is not known"


def of_paths(text: str) -> Pattern:
    """Return the pattern of paths; one with a slash at its end includes everything below."""
    if not text.startswith(("/", "~", "*")):
        raise PatternError("a path begins with '/', '~' or '*'")
    try:
        full = str(Path(text).expanduser()) if text.startswith("~") else text
    except RuntimeError as error:
        raise PatternError(HOMELESS) from error
    if not text.endswith("/"):
        return Pattern(text, _glob(full), _end(full))
    folder = full.rstrip("/")
    is_folder, is_below = _glob(folder or "/"), _glob(f"{folder}/**")
    return Pattern(text, lambda name: is_folder(name) or is_below(name), lambda _: True)


def literal(name: str) -> str:
    """Return the pattern that matches only this name."""
    return _WILDCARDS.sub(r"[\g<0>]", name)


def of_programs(text: str) -> Pattern:
    """Return the pattern of programs; one without a slash is compared with the last component."""
    if not text:
        raise PatternError("the name is empty")
    matches = _glob(text)
    if "/" in text:
        return Pattern(text, matches)
    return Pattern(text, lambda name: matches(name.rpartition("/")[2]))


def of_peers(text: str) -> Pattern:
    """Return the pattern of peers: HOST, HOST:PORT, NETWORK, NETWORK:PORT, or a path."""
    if text.startswith("/"):
        return of_paths(text)
    address, port = _split(text)
    if port not in {"", "*"} and not (port.isdecimal() and int(port) <= _MOST_PORT):
        raise PatternError(f"'{port}' is not a port")
    network = _network(address)
    is_host = _glob(address or "*")

    def matches(name: str) -> bool:
        parts = [_split(each) for each in peer_addresses(name)]
        return any(
            port in {"", "*", there} and (_is_within(host, network) if network else is_host(host))
            for host, there in parts
        )

    return Pattern(text, matches)


def _network(address: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(address, strict=False)
    except ValueError:
        if "/" in address or re.fullmatch(r"[\d.]+", address):
            raise PatternError(f"'{address}' is not an IP address or network") from None
        return None


def _is_within(host: str, network: IPv4Network | IPv6Network) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.version == network.version and address in network


def _split(text: str) -> tuple[str, str]:
    """Return the address and the port of a peer; the latter is empty if it is missing."""
    # Without brackets, the colons are those of an IPv6 address.
    if text.count(":") > 1 and not text.startswith("["):
        return text, ""
    match = _PEER.fullmatch(text)
    if match is None:
        return text, ""
    six = match["six"]
    return (match["host"] if six is None else six), match["port"] or ""


def peer_addresses(name: str) -> list[str]:
    """Return the words of a peer's name that are addresses; a single word may be a host."""
    # Behind the arrow is the own port to which the peer has connected.
    words = [word.strip("(),") for word in name.partition(" -> ")[0].split()]
    return words if len(words) == 1 else [word for word in words if _split(word)[1] or _is_ip(word)]


def _is_ip(word: str) -> bool:
    try:
        ip_address(word)
    except ValueError:
        return False
    return True


def _glob(pattern: str) -> Callable[[str], bool]:
    """Return a function that matches names; `*` stays within a component, `**` does not."""
    expression = "".join(map(_translated, _SPECIAL.findall(escape_text(pattern))))
    try:
        match = re.compile(expression).fullmatch
    except re.error as error:
        raise PatternError(f"'{pattern}' is not a valid pattern: {error}") from error
    return lambda name: match(name) is not None


def _end(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells whether a path may match of which only the end is known."""
    # The last components, as far as each stands for exactly one; a set may contain a slash.
    components: list[Callable[[str], bool]] = []
    for part in reversed(pattern.split("/")):
        if "**" in part or "[" in part or "]" in part:
            return lambda end: _are_matched(components, end.split("/"))
        components.append(_glob(part))
    return lambda end: (
        end.count("/") + 1 < len(components) and _are_matched(components, end.split("/"))
    )


def _are_matched(components: Sequence[Callable[[str], bool]], parts: Sequence[str]) -> bool:
    return all(matches(part) for matches, part in zip(components, reversed(parts), strict=False))


def _translated(part: str) -> str:
    match part:
        case "**/":
            return "(?:.*/)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
    if len(part) > 1:
        body = _SET_OPERATORS.sub(r"\\\g<0>", part[1:-1])
        return f"[^{body[1:]}]" if body.startswith("!") else f"[{body}]"
    return re.escape(part)
