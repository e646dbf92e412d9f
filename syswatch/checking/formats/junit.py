"""A result as JUnit XML, which CI systems show as tests."""

from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from syswatch.base.text import escape_text
from syswatch.checking.result import Finding, Result, Verdict
from syswatch.checking.sentences import first_line, in_line, where

_CLASS = "syswatch.budget"


def as_junit(result: Result) -> str:
    """Return a suite with a test case for each entry, and one for the command."""
    cases = [_case(result, each) for each in result.findings]
    if result.command is not None:
        cases.append(_case_of_command(result))
    failures = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    suites = Element("testsuites", {"name": "syswatch check", **counts})
    suite = ET.SubElement(
        suites, "testsuite", {"name": result.run, **counts, "skipped": str(skipped)}
    )
    suite.extend(cases)
    ET.SubElement(suite, "system-out").text = "\n".join((first_line(result), *result.notes))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _case(result: Result, finding: Finding) -> Element:
    case = Element("testcase", {"classname": _CLASS, "name": finding.entry.place.text})
    case.set("file", escape_text(str(result.budget.file)))
    if line := result.budget.line(finding.entry):
        case.set("line", str(line))
    if finding in result.failures:
        failure = ET.SubElement(case, "failure", {"message": finding.sentence})
        failure.set("type", finding.verdict.value)
        failure.text = "\n".join((where(result, finding), *map(in_line, finding.offenders)))
    elif finding.verdict is Verdict.UNDECIDED:
        ET.SubElement(case, "skipped", {"message": finding.sentence})
    return case


def _case_of_command(result: Result) -> Element:
    case = Element("testcase", {"classname": "syswatch.command", "name": result.run})
    if result.command_failure:
        message = f"the command failed: {result.command_failure}"
        ET.SubElement(case, "failure", {"message": message, "type": "command"})
    return case
