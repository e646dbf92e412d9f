"""Reading the settings of a systemd unit that restrict calls."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import attrs

from syswatch.base.classes import define
from syswatch.model.errnos import errno_number
from syswatch.profiles.actions import ALLOW, KILL_PROCESS, PRETEND_ABSENT, Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES, OF_SYSTEMD, Architecture
from syswatch.profiles.conditions import Condition
from syswatch.profiles.names import FAMILIES, NAMESPACES
from syswatch.profiles.profile import NO_REASONS, Profile, Rule

from .outcome import FormatError, Loaded, Target
from .systemd_groups import IMPLIED, groups
from .systemd_restrictions import (
    namespace_conditions,
    socket_conditions,
    write_execute_conditions,
)

_YES: Final = frozenset({"yes", "true", "on", "1"})
Limits = dict[str, list[tuple[Condition, ...]]]


@define
class _Settings:
    """What the lines so far have set."""

    # None before the first SystemCallFilter=, which decides whether the list permits or refuses.
    permits: bool | None = None
    listed: dict[str, Action] = attrs.field(factory=dict)
    refusal: Action = KILL_PROCESS
    architectures: list[Architecture] = attrs.field(factory=list)
    limits: Limits = attrs.field(factory=dict)
    absent: bool = False
    notes: list[str] = attrs.field(factory=list)


def is_unit(content: bytes) -> bool:
    """Return whether a text has a section, or a setting that restricts calls."""
    text = _decoded(content)
    has_section = any(line.startswith("[") for line in text.splitlines())
    return has_section or any(key in _APPLY for key, _ in _assignments(text))


def read(content: bytes, target: Target) -> Loaded:
    """Return the profile of a unit; raise FormatError."""
    settings = _Settings()
    for key, value in _assignments(_decoded(content)):
        apply = _APPLY.get(key)
        if apply is not None:
            apply(settings, value, target)
    if settings.permits is None and not settings.limits:
        raise FormatError("the unit has no SystemCallFilter=, and no other limit of calls")
    return Loaded(_profile(settings, target), tuple(settings.notes))


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the assignments of a unit; a backslash at the end continues a line."""
    for line in text.replace("\\\n", " ").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith(("#", ";")):
            yield key.strip(), value.strip()


def _filter(settings: _Settings, value: str, _target: Target) -> None:
    if not value:
        settings.permits, settings.listed = None, {}
        return
    inverted = value.startswith("~")
    if settings.permits is None:
        settings.permits = not inverted
        if settings.permits:
            settings.listed = dict.fromkeys(groups()[IMPLIED], ALLOW)
    for word in value.removeprefix("~").split():
        name, _, number = word.partition(":")
        for call in _calls(name, settings):
            if inverted == settings.permits:
                settings.listed.pop(call, None)
            else:
                settings.listed[call] = _listed(number, settings) if inverted else ALLOW


def _calls(name: str, settings: _Settings) -> Iterable[str]:
    if not name.startswith("@"):
        return [name]
    if name not in groups():
        settings.notes.append(f"the group {name} is not known, so its calls are not considered")
    return groups().get(name, ())


def _listed(number: str, settings: _Settings) -> Action:
    return _errno(number) if number else settings.refusal


def _errno(text: str) -> Action:
    if text == "kill":
        return KILL_PROCESS
    number = errno_number(text) or (int(text) if text.isdecimal() else 0)
    if not 0 < number < 1 << 12:
        raise FormatError(f"unknown error '{text}' in the unit")
    return Action(ActionKind.ERRNO, number)


def _error_number(settings: _Settings, value: str, _: Target) -> None:
    before, settings.refusal = settings.refusal, _errno(value) if value else KILL_PROCESS
    settings.listed = {
        call: settings.refusal if action == before else action
        for call, action in settings.listed.items()
    }


def _architectures(settings: _Settings, value: str, target: Target) -> None:
    if not value:
        settings.architectures = []
    for word in value.split():
        found = ARCHITECTURES[target.architecture] if word == "native" else OF_SYSTEMD.get(word)
        if found is None:
            raise FormatError(f"unknown architecture '{word}' in the unit")
        settings.architectures.append(found)


def _families(settings: _Settings, value: str, _: Target) -> None:
    words = _chosen(value, FAMILIES, "address family")
    if words is not None:
        settings.limits["socket"] = socket_conditions(words)


def _namespaces(settings: _Settings, value: str, _: Target) -> None:
    if value in _YES:
        words: Iterable[str] | None = ()
    elif value in {"no", "false", "off", "0"}:
        words = None
    else:
        words = _chosen(value, NAMESPACES, "namespace")
    if words is not None:
        settings.limits |= namespace_conditions(words)
        settings.absent = True


def _write_execute(settings: _Settings, value: str, _: Target) -> None:
    if value in _YES:
        settings.limits |= write_execute_conditions()


def _chosen(value: str, known: Mapping[str, int], what: str) -> Iterable[str] | None:
    """Return what a list permits, None if it is empty and so permits everything."""
    words = value.removeprefix("~").split()
    if not words:
        return None
    for word in words:
        if word not in known and word != "none":
            raise FormatError(f"unknown {what} '{word}' in the unit")
    return [name for name in known if (name in words) != value.startswith("~")]


_APPLY: Final[Mapping[str, Callable[[_Settings, str, Target], None]]] = {
    "SystemCallFilter": _filter,
    "SystemCallErrorNumber": _error_number,
    "SystemCallArchitectures": _architectures,
    "RestrictAddressFamilies": _families,
    "RestrictNamespaces": _namespaces,
    "MemoryDenyWriteExecute": _write_execute,
}


def _profile(settings: _Settings, target: Target) -> Profile:
    rules = dict.fromkeys(_rules(settings), NO_REASONS)
    architectures = settings.architectures or [ARCHITECTURES[target.architecture]]
    default = settings.refusal if settings.permits else ALLOW
    return Profile(rules, architectures, default)


def _rules(settings: _Settings) -> Iterator[Rule]:
    if settings.permits:
        for call in settings.listed:
            if call == "clone3" and settings.absent:
                yield Rule(call, action=PRETEND_ABSENT)
            else:
                for conditions in settings.limits.get(call, [()]):
                    yield Rule(call, conditions)
        return
    for call, action in settings.listed.items():
        yield Rule(call, action=action)
    if settings.limits:
        calls = ", ".join(sorted(settings.limits))
        settings.notes.append(f"limits of arguments are not considered without a list: {calls}")
