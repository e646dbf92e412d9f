"""
Our own format, which is complete: with all reasons. Values of arguments are hexadecimal.

A server adds the evidence, so that profiles of every level can be made of what it has seen.
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from syswatch.base.text import escape_text
from syswatch.codec.plausible import implausible
from syswatch.model.delta import Delta
from syswatch.model.evidence import NATIVE, Evidence, EvidenceKey, EvidenceTally
from syswatch.profiles.actions import Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import Condition, Operator
from syswatch.profiles.dangers import dangers
from syswatch.profiles.profile import Profile, Reasons, Rule, Sighting

from .outcome import FormatError, Loaded, Written

FORMAT: Final = "syswatch-profile"
_VERSION: Final = 1
_HEXADECIMAL: Final = 16
_NONE: Final[Evidence] = {}


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


class _Row(_Base):
    """Evidence: calls that a rule can tell from others."""

    call: str
    values: list[str]
    architecture: str
    program: str
    refused: bool
    count: int
    first_ns: int | None


class _Document(_Base):
    format: str
    version: int
    default: ActionKind
    default_number: int
    architectures: list[str]
    rules: list[_Rule]
    # For readers; not read back.
    dangers: list[_Danger] = []
    evidence: list[_Row] | UnsetType = UNSET


def write(profile: Profile, evidence: Evidence = _NONE, native: str = NATIVE) -> Written:
    """
    Return a profile with everything that is known of it.

    With the evidence that it was made of, `native` is the architecture of rows that name none.
    """
    document = _Document(
        format=FORMAT,
        version=_VERSION,
        default=profile.default.kind,
        default_number=profile.default.number,
        architectures=[each.name for each in profile.architectures],
        rules=[_rule(rule, reasons) for rule, reasons in profile.rules.items()],
        dangers=[_Danger(each.call, each.why) for each in dangers(profile)],
        evidence=[_row(key, evidence[key], native) for key in sorted(evidence)] or UNSET,
    )
    return Written(msgspec.json.format(msgspec.json.encode(document)) + b"\n")


def read(content: bytes) -> Loaded:
    """Return the profile of a document; raise FormatError."""
    try:
        return Loaded(_profile(_document(content)))
    except KeyError as error:
        raise FormatError(f"not a profile: unknown architecture {error}") from error
    except ValueError as error:
        raise FormatError(f"not a profile: {error}") from error


def read_evidence(content: bytes) -> Evidence:
    """Return the evidence of a document, which may have none; raise FormatError."""
    evidence: dict[EvidenceKey, EvidenceTally] = {}
    try:
        for key, tally in map(_read_row, _document(content).evidence or ()):
            # Escaping may make two rows the same.
            evidence[key] = evidence[key] + tally if key in evidence else tally
    except ValueError as error:
        raise FormatError(f"not evidence for a profile: {error}") from error
    if implausible(Delta(evidence=evidence)):
        raise FormatError("not evidence for a profile: impossible numbers")
    return evidence


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


def _row(key: EvidenceKey, tally: EvidenceTally, native: str) -> _Row:
    return _Row(
        key.call,
        [f"{value:#x}" for value in key.values],
        key.architecture or native,
        key.program,
        key.refused,
        tally.count,
        tally.first_ns,
    )


def _read_row(row: _Row) -> tuple[EvidenceKey, EvidenceTally]:
    key = EvidenceKey(
        escape_text(row.call),
        tuple(int(value, _HEXADECIMAL) for value in row.values),
        escape_text(row.architecture),
        escape_text(row.program),
        row.refused,
    )
    return key, EvidenceTally(row.count, row.first_ns)


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
