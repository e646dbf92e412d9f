"""The `linux.seccomp` object of the OCI runtime-spec, and the profiles of Docker and Podman."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from syswatch.profiles.actions import Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES, OF_OCI, Architecture
from syswatch.profiles.conditions import Condition, Operator
from syswatch.profiles.profile import NO_REASONS, Profile, Rule

from .outcome import FormatError, Loaded, Target, Written

_ARCHITECTURE: Final = "SCMP_ARCH_"
_ACTION: Final = "SCMP_ACT_"
_OPERATOR: Final = "SCMP_CMP_"
_KINDS: Final = {**{str(kind): kind for kind in ActionKind}, "KILL": ActionKind.KILL_THREAD}
_OPERATORS: Final = {str(operator): operator for operator in Operator}
# Runtimes use this errno if none is given.
_USUAL_ERRNO: Final = 1
# Architectures by the names that conditions of Docker's profiles have.
_DOCKER_NAMES: Final = {"x86_64": "amd64", "i386": "x86", "aarch64": "arm64"}


class _Argument(msgspec.Struct, rename="camel"):
    index: int
    value: int
    op: str
    value_two: int = 0


class _Limits(msgspec.Struct, rename="camel"):
    """When Docker uses an entry, or does not."""

    caps: list[str] | None = None
    arches: list[str] | None = None
    min_kernel: str | None = None


class _Call(msgspec.Struct, rename="camel"):
    action: str
    names: list[str] = []
    name: str = ""
    errno_ret: int | None = None
    args: list[_Argument] | None = None
    includes: _Limits | None = None
    excludes: _Limits | None = None


class _Map(msgspec.Struct, rename="camel"):
    architecture: str
    sub_architectures: list[str] | None = None


class _Document(msgspec.Struct, rename="camel"):
    default_action: str
    default_errno_ret: int | None = None
    architectures: list[str] | None = None
    arch_map: list[_Map] | None = None
    syscalls: list[_Call] | None = None


def write(profile: Profile) -> Written:
    """Return a profile as JSON."""
    document, losses = as_document(profile)
    return Written(msgspec.json.format(msgspec.json.encode(document)) + b"\n", losses)


def as_document(profile: Profile) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the object, and what it does not express."""
    losses: list[str] = []
    alike: dict[tuple[Any, ...], list[str]] = {}
    for rule in profile.rules:
        conditions = _writable(rule, losses)
        alike.setdefault((conditions, rule.action), []).append(rule.call)
    return {
        "defaultAction": _ACTION + profile.default.kind,
        **_errno("defaultErrnoRet", profile.default),
        "architectures": [_ARCHITECTURE + each.oci for each in profile.architectures],
        "syscalls": [
            {
                "names": sorted(calls),
                "action": _ACTION + action.kind,
                **_errno("errnoRet", action),
                **({"args": [_argument(each) for each in conditions]} if conditions else {}),
            }
            for (conditions, action), calls in alike.items()
        ],
    }, tuple(dict.fromkeys(losses))


def read(content: bytes, target: Target) -> Loaded:
    """Return the profile of a document; raise FormatError."""
    try:
        document = msgspec.json.decode(content, type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"not a seccomp profile of the OCI runtime-spec: {error}") from error
    return _loaded(document, target)


def of_document(document: Mapping[str, Any], target: Target) -> Loaded:
    """Return the profile of an object; raise FormatError."""
    try:
        converted = msgspec.convert(document, type=_Document)
    except msgspec.ValidationError as error:
        raise FormatError(f"not a seccomp profile: {error}") from error
    return _loaded(converted, target)


def _loaded(document: _Document, target: Target) -> Loaded:
    used = [each for each in document.syscalls or () if _is_used(each, target)]
    rules = dict.fromkeys((rule for each in used for rule in _rules(each)), NO_REASONS)
    default = _action(document.default_action, document.default_errno_ret)
    notes = () if not any(map(_has_conditions, document.syscalls or ())) else (_note(target),)
    return Loaded(Profile(rules, _architectures(document, target), default), notes)


def _has_conditions(call: _Call) -> bool:
    """Return whether Docker uses an entry only for some containers or kernels."""
    limits = (call.includes or _Limits(), call.excludes or _Limits())
    return any(each.caps or each.min_kernel for each in limits)


def _note(target: Target) -> str:
    names = sorted(each.removeprefix("CAP_") for each in target.capabilities)
    version = ".".join(map(str, target.kernel))
    return (
        f"its conditions are those of Linux {version} and a container with the capabilities"
        f" {', '.join(names) or 'none'}"
    )


def _writable(rule: Rule, losses: list[str]) -> tuple[Condition, ...]:
    """Return conditions of different arguments: of the same one, runtimes make alternatives."""
    kept = {each.index: each for each in reversed(rule.conditions)}
    if len(kept) < len(rule.conditions):
        losses.append(f"{rule.call}: only one condition of each argument is written")
    return tuple(sorted(kept.values()))


def _errno(key: str, action: Action) -> dict[str, int]:
    return {key: action.number} if action.takes_number else {}


def _argument(condition: Condition) -> dict[str, Any]:
    masked = condition.operator is Operator.MASKED_EQ
    return {
        "index": condition.index,
        "value": condition.mask if masked else condition.value,
        **({"valueTwo": condition.value} if masked else {}),
        "op": _OPERATOR + condition.operator,
    }


def _architectures(document: _Document, target: Target) -> Iterable[Architecture]:
    if document.arch_map is not None:
        names = [
            name
            for each in document.arch_map
            if _architecture(each.architecture, target).name == target.architecture
            for name in (each.architecture, *(each.sub_architectures or ()))
        ]
    else:
        names = document.architectures or []
    # Without any, runtimes add the one of the machine.
    return [_architecture(name, target) for name in names] or [ARCHITECTURES[target.architecture]]


def _architecture(name: str, target: Target) -> Architecture:
    if name == f"{_ARCHITECTURE}NATIVE":
        return ARCHITECTURES[target.architecture]
    found = OF_OCI.get(name.removeprefix(_ARCHITECTURE))
    if found is None:
        raise FormatError(f"unknown architecture '{name}' in a seccomp profile")
    return found


def _action(name: str, number: int | None) -> Action:
    kind = _KINDS.get(name.removeprefix(_ACTION))
    if kind is None:
        raise FormatError(f"unknown action '{name}' in a seccomp profile")
    if not Action(kind).takes_number:
        return Action(kind)
    return Action(kind, _USUAL_ERRNO if number is None else number)


def _rules(call: _Call) -> Iterator[Rule]:
    """Yield the rules of an entry: several conditions of one argument are alternatives."""
    action = _action(call.action, call.errno_ret)
    conditions = [_condition(each) for each in call.args or ()]
    repeated = len({each.index for each in conditions}) < len(conditions)
    alternatives = [(each,) for each in conditions] if repeated else [tuple(conditions)]
    for name in call.names or [call.name]:
        for each in alternatives:
            yield Rule(name, each, action)


def _condition(argument: _Argument) -> Condition:
    operator = _OPERATORS.get(argument.op.removeprefix(_OPERATOR))
    if operator is None:
        raise FormatError(f"unknown operator '{argument.op}' in a seccomp profile")
    try:
        if operator is Operator.MASKED_EQ:
            return Condition(argument.index, operator, argument.value_two, argument.value)
        return Condition(argument.index, operator, argument.value)
    except ValueError as error:
        raise FormatError(f"invalid argument in a seccomp profile: {error}") from error


def _is_used(call: _Call, target: Target) -> bool:
    """Return whether Docker would use an entry on this machine."""
    name = _DOCKER_NAMES.get(target.architecture, target.architecture)
    with_, without = call.includes or _Limits(), call.excludes or _Limits()
    return not (
        (with_.arches and name not in with_.arches)
        or not target.capabilities.issuperset(with_.caps or ())
        or (with_.min_kernel and target.kernel < _version(with_.min_kernel))
        or name in (without.arches or ())
        or not target.capabilities.isdisjoint(without.caps or ())
        or (without.min_kernel and target.kernel >= _version(without.min_kernel))
    )


def _version(text: str) -> tuple[int, int]:
    try:
        major, minor = map(int, text.split("."))
    except ValueError:
        raise FormatError(f"invalid version of the kernel '{text}' in a seccomp profile") from None
    return major, minor
