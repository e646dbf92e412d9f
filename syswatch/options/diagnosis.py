"""The page that `syswatch doctor` prints."""

from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path

import syswatch
from syswatch.machine.capabilities import TRACING_CAPABILITIES, Facts
from syswatch.machine.doctor import Verdict
from syswatch.model.backends import BACKENDS, Capability
from syswatch.recording.extra import missing_package

_COMPILED = (
    ("duration_sums", "."),
    ("ordinary_stops", "ptrace"),
    ("plain_rows", "stracelog"),
    ("compiled_loops", "stracelog"),
    ("compiled_sums", "stracelog"),
)
_SECCOMP_MODES = ("off", "strict", "a filter is active")


def render(facts: Facts, verdicts: Iterable[Verdict]) -> str:
    """Return facts and verdicts as aligned text that needs no colors to be understood."""
    return "\n".join(
        [
            "Ways to trace",
            *_verdict_lines(verdicts),
            "",
            "Cost",
            *(f"  {backend.title:<20}{backend.cost.description}" for backend in BACKENDS),
            *_exclusive_options(),
            "",
            "This machine",
            *(f"  {name:<20}{value}" for name, value in _fact_lines(facts)),
            "",
        ]
    )


def _verdict_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        mark, usable = ("✓", "usable") if verdict.usable else ("✗", "not usable")
        yield f"{mark} {verdict.name:<18}{usable}: {verdict.why}"
        yield from (f"      {remedy}" for remedy in verdict.remedies)


def _exclusive_options() -> Iterator[str]:
    """Yield a line for each backend that options need."""
    for backend in BACKENDS:
        only = [
            capability.option
            for capability in Capability
            if capability.option and capability.sources == {backend.name}
        ]
        if only:
            yield f"\nOnly with {backend.title}: {', '.join(only)}"


def _fact_lines(facts: Facts) -> list[tuple[str, str]]:
    scope = facts.ptrace_scope
    return [
        ("kernel", facts.kernel or "unknown"),
        ("user", f"uid {facts.uid}"),
        ("capabilities", _capabilities(facts)),
        ("yama ptrace_scope", "Yama is not enabled" if scope is None else str(scope)),
        ("seccomp", _SECCOMP_MODES[min(facts.seccomp, 2)]),
        ("no new privileges", "yes" if facts.no_new_privileges else "no"),
        ("container", facts.container or "none detected"),
        ("user namespace", "not the initial one" if facts.user_namespace else "initial"),
        ("lockdown", facts.lockdown),
        ("kernel types (BTF)", _found(facts.btf)),
        ("libbpf.so.1", _found(facts.libbpf)),
        ("strace", _found(facts.strace, "optional")),
        ("--record", missing_package() or "packages found"),
        (
            "compiled modules",
            _found(_has_compiled_modules(), "optional; slower without"),
        ),
    ]


def _capabilities(facts: Facts) -> str:
    if facts.capabilities:
        return ", ".join(sorted(facts.capabilities))
    return f"none of {', '.join(TRACING_CAPABILITIES.values())}"


def _has_compiled_modules() -> bool:
    # Importing the packages of the tracer, as find_spec of importlib does, would take longer.
    tracer = Path(syswatch.__file__).parent / "tracer"
    return all(PathFinder.find_spec(name, [str(tracer / place)]) for name, place in _COMPILED)


def _found(is_found: bool, otherwise: str = "") -> str:  # noqa: FBT001  what it is called with
    if is_found:
        return "found"
    return f"not found ({otherwise})" if otherwise else "not found"
