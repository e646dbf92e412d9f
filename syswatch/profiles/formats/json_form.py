"""
Our own format, which is complete: with all reasons. Values of arguments are hexadecimal.

With what it was made of, profiles of every level can be made, and checked, of what was seen.
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from syswatch.base.text import escape_text
from syswatch.model.evidence import NATIVE
from syswatch.profiles.actions import Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.basis import Basis
from syswatch.profiles.conditions import Condition, Operator
from syswatch.profiles.dangers import dangers
from syswatch.profiles.profile import Profile, Reasons, Rule, Sighting

from . import json_basis
from .json_basis import Record
from .outcome import FormatError, Loaded, Written

FORMAT: Final = "syswatch-profile"
_VERSION: Final = 1
_HEXADECIMAL: Final = 16
_NONE: Final = Basis()


class _Condition(Record):
    index: int
    operator: Operator
    value: str
    mask: str


class _Seen(Record):
    program: str
    count: int
    first_ns: int


class _Rule(Record):
    call: str
    action: ActionKind
    number: int
    conditions: list[_Condition]
    seen: list[_Seen]
    reasons: list[str]


class _Danger(Record):
    call: str
    why: str


class _Document(Record):
    format: str
    version: int
    default: ActionKind
    default_number: int
    architectures: list[str]
    rules: list[_Rule]
    # For readers; not read back.
    dangers: list[_Danger] = msgspec.field(default_factory=list)
    # What it was made of.
    evidence: list[json_basis.Row] | UnsetType = UNSET
    loaded: list[str] | UnsetType = UNSET
    # Not there if it is not known.
    written: list[str] | UnsetType = UNSET
    processes: list[json_basis.OfProgram] | UnsetType = UNSET
    samples: list[json_basis.Call] | UnsetType = UNSET
    # Why calls may be missing.
    notes: list[str] | UnsetType = UNSET


def write(profile: Profile, basis: Basis = _NONE, native: str = NATIVE) -> Written:
    """
    Return a profile with everything that is known of it.

    With what it was made of, `native` is the architecture of calls that name none.
    """
    document = _Document(
        format=FORMAT,
        version=_VERSION,
        default=profile.default.kind,
        default_number=profile.default.number,
        architectures=[each.name for each in profile.architectures],
        rules=[_rule(rule, reasons) for rule, reasons in profile.rules.items()],
        dangers=[_Danger(each.call, each.why) for each in dangers(profile)],
    )
    if basis.evidence:
        document.evidence = json_basis.rows_of(basis.evidence, native)
        document.loaded = sorted(basis.loaded)
        document.written = UNSET if basis.written is None else sorted(basis.written)
        document.processes = json_basis.processes_of(basis.occurrences)
        document.samples = json_basis.samples_of(basis.occurrences)
        document.notes = [*basis.notes]
    return Written(msgspec.json.format(msgspec.json.encode(document)) + b"\n")


def read(content: bytes) -> Loaded:
    """Return the profile of a document; raise FormatError."""
    try:
        return Loaded(_profile(_document(content)))
    except KeyError as error:
        raise FormatError(f"not a profile: unknown architecture {error}") from error
    except ValueError as error:
        raise FormatError(f"not a profile: {error}") from error


def read_basis(content: bytes) -> Basis:
    """Return what a document says that its profile was made of; raise FormatError."""
    try:
        document = _document(content)
        return Basis(
            json_basis.evidence(document.evidence or ()),
            frozenset(map(escape_text, document.loaded or ())),
            None if document.written is UNSET else frozenset(map(escape_text, document.written)),
            json_basis.occurrences(document.processes or (), document.samples or ()),
            tuple(map(escape_text, document.notes or ())),
        )
    except ValueError as error:
        raise FormatError(
            f"not a profile of --format json, which keeps what it was made of: {error}"
        ) from error


def _document(content: bytes) -> _Document:
    document = msgspec.json.decode(content, type=_Document)
    if (document.format, document.version) != (FORMAT, _VERSION):
        raise ValueError(f"unknown format '{document.format}' {document.version}")
    return document


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
