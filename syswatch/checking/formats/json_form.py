"""A result as one JSON object; times are in nanoseconds."""

from typing import Any

import msgspec

from syswatch.base.text import escape_text
from syswatch.checking.result import Finding, Offenders, Result
from syswatch.checking.sentences import first_line


def as_json(result: Result) -> str:
    """Return the object."""
    command = result.command
    record = {
        "Sentence": first_line(result),
        "Status": result.status,
        "Run": result.run,
        "Budget": escape_text(str(result.budget.file)),
        "Command": None
        if command is None
        else {
            "Line": command.line,
            "ExitCode": command.exit_code,
            "Signal": command.signal,
            "Failure": command.failure,
        },
        "Findings": [_finding(result, each) for each in result.findings],
        "Notes": list(result.notes),
    }
    return msgspec.json.encode(record).decode() + "\n"


def _finding(result: Result, finding: Finding) -> dict[str, Any]:
    return {
        "Entry": finding.entry.place.text,
        "Line": result.budget.line(finding.entry),
        "Verdict": finding.verdict.value,
        "Sentence": finding.sentence,
        "Value": finding.value,
        "Limit": finding.limit,
        "Offenders": [_offenders(each) for each in finding.offenders],
    }


def _offenders(offenders: Offenders) -> dict[str, Any]:
    return {
        "Title": offenders.title,
        "Shares": [{"Name": each.name, "Amount": each.amount} for each in offenders.shares],
        "More": offenders.more,
    }
