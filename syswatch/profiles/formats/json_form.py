"""Our own format, which is complete: with all reasons. Values of arguments are hexadecimal."""

from typing import Any, Final

import msgspec

from syswatch.base.text import escape_text
from syswatch.profiles.actions import Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import Condition, Operator
from syswatch.profiles.dangers import dangers
from syswatch.profiles.profile import Profile, Reasons, Rule, Sighting

from .outcome import FormatError, Loaded, Written

FORMAT: Final = "syswatch-profile"
_VERSION: Final = 1
_HEXADECIMAL: Final = 16


class _Base(msgspec.Struct, rename="pascal"):
    pass


class _Condition(_Base):
    index: int
    operator: Operator
    value: str
    mask: str


class _Seen(_Base):
    program: str
    count: int
    first_ns: int


class _Rule(_Base):
    call: str
    action: ActionKind
    number: int
    conditions: list[_Condition]
    seen: list[_Seen]
    reasons: list[str]


class _Danger(_Base):
    call: str
    why: str


class _Document(_Base):
    format: str
    version: int
    default: ActionKind
    default_number: int
    architectures: list[str]
    rules: list[_Rule]
    # For readers; not read back.
    dangers: list[_Danger] = []


def write(profile: Profile) -> Written:
    """Return a profile with everything that is known of it."""
    document = _Document(
        format=FORMAT,
        version=_VERSION,
        default=profile.default.kind,
        default_number=profile.default.number,
        architectures=[each.name for each in profile.architectures],
        rules=[_rule(rule, reasons) for rule, reasons in profile.rules.items()],
        dangers=[_Danger(each.call, each.why) for each in dangers(profile)],
    )
    return Written(msgspec.json.format(msgspec.json.encode(document)) + b"\n")


def read(content: bytes) -> Loaded:
    """Return the profile of a document; raise FormatError."""
    try:
        document = msgspec.json.decode(content, type=_Document)
        return Loaded(_profile(document))
    except KeyError as error:
        raise FormatError(f"not a profile: unknown architecture {error}") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise FormatError(f"not a profile: {error}") from error


def _rule(rule: Rule, reasons: Reasons) -> _Rule:
    return _Rule(
        call=rule.call,
        action=rule.action.kind,
        number=rule.action.number,
        conditions=[
            _Condition(each.index, each.operator, f"{each.value:#x}", f"{each.mask:#x}")
            for each in rule.conditions
        ],
        seen=[
            _Seen(program, sighting.count, sighting.first_ns)
            for program, sighting in sorted(reasons.seen.items())
        ],
        reasons=sorted(reasons.sentences),
    )


def _profile(document: _Document) -> Profile:
    if (document.format, document.version) != (FORMAT, _VERSION):
        raise ValueError(f"unknown format '{document.format}' {document.version}")
    return Profile(
        dict(map(_read_rule, document.rules)),
        [ARCHITECTURES[name] for name in document.architectures],
        Action(document.default, document.default_number),
    )


def _read_rule(rule: _Rule) -> tuple[Rule, Reasons]:
    conditions: Any = [
        Condition(
            each.index,
            each.operator,
            int(each.value, _HEXADECIMAL),
            int(each.mask, _HEXADECIMAL),
        )
        for each in rule.conditions
    ]
    seen = {escape_text(each.program): Sighting(each.count, each.first_ns) for each in rule.seen}
    reasons = Reasons(seen, map(escape_text, rule.reasons))
    action = Action(rule.action, rule.number)
    return Rule(escape_text(rule.call), conditions, action), reasons
