"""JUnit XML: a test case for each kind, which fails if something of that kind changed."""

import re
from xml.sax.saxutils import quoteattr

from syswatch.comparison.change import Comparison
from syswatch.comparison.forms import KINDS
from syswatch.comparison.run import Kind

from .presentation import Presentation
from .words import Row, first_line, notes, rows, side

# XML has no way to write these.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(comparison: Comparison, _how: Presentation) -> str:
    """Return the XML, ending with a newline."""
    found: dict[str, list[Row]] = {name: [] for name in KINDS}
    names = {Kind(value): name for name, value in KINDS.items()}
    for row in rows(comparison):
        found[names[row.change.subject.kind]].append(row)
    failures = sum(map(bool, found.values()))
    output = [
        first_line(comparison),
        f"before: {side(comparison.before)}",
        f"after: {side(comparison.after)}",
        *notes(comparison),
    ]
    counts = f'tests="{len(found)}" failures="{failures}" errors="0" skipped="0"'
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="syswatch diff" {counts}>',
            f'<testsuite name="syswatch diff" {counts}>',
            *(_case(name, changed) for name, changed in found.items()),
            f"<system-out>{_text(chr(10).join(output))}</system-out>",
            "</testsuite>",
            "</testsuites>\n",
        )
    )


def _case(name: str, changed: list[Row]) -> str:
    head = f'<testcase classname="syswatch.diff" name={_attribute(name)}'
    if not changed:
        return f"{head}/>"
    lines = "\n".join(map(_line, changed))
    message = _line(changed[0])
    if len(changed) > 1:
        message += f" (and {len(changed) - 1:,} more)"
    return (
        f'{head}>\n<failure type="changed" message={_attribute(message)}>{_text(lines)}</failure>\n'
        "</testcase>"
    )


def _line(row: Row) -> str:
    return f"{row.subject}: {row.figure} {row.before} → {row.after} ({row.difference})"


def _text(text: str) -> str:
    return _attribute(text)[1:-1].replace("&#10;", "\n")


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text), {'"': "&quot;"})
