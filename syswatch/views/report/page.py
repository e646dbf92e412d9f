"""The page of the report: its head and its sections."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.verdict import verdict
from syswatch.views.profile_records import ProfileSummary
from syswatch.views.status import traced_by

from . import sections
from .budget import time_budget
from .calls import call_table, details
from .markup import Content, Markup, tag
from .objects import object_table, slowest_table, thread_table
from .profile import profile
from .sections import Provenance
from .self_contained import self_contained
from .timeline import timeline

_LONGEST_TITLE = 160


def report(
    snapshot: Snapshot,
    *,
    origin: Provenance,
    top_files: int = 0,
    needs: ProfileSummary | None = None,
) -> str:
    """Return the whole file, which loads nothing; with the profile that is needed, if known."""
    subject = snapshot.source.process.cmdline or snapshot.source.process.comm or "system calls"
    body = tag(
        "main",
        [
            _header(snapshot, _cut(subject), origin),
            *_sections(snapshot, origin, top_files, needs),
        ],
    )
    return self_contained(_cut(subject), body)


def _header(snapshot: Snapshot, subject: str, origin: Provenance) -> Markup:
    source = snapshot.source
    summary = (
        f"{traced_by(source.backend, source.only)} · syswatch {origin.version} · {origin.when}"
    )
    return tag(
        "header",
        (
            tag("h1", subject, class_="long subject"),
            tag("p", verdict(snapshot), class_="long verdict"),
            tag("p", summary, class_="dim"),
            sections.ending(snapshot),
        ),
    )


def _sections(
    snapshot: Snapshot, origin: Provenance, top_files: int, needs: ProfileSummary | None
) -> Iterator[Markup]:
    yield sections.cards(snapshot)
    yield _section("Where the time went", time_budget(snapshot))
    yield _section("Alerts", sections.alert_list(snapshot))
    yield _section("Objects", object_table(snapshot))
    yield _section("Threads", thread_table(snapshot))
    yield _section("Slowest calls", slowest_table(snapshot))
    yield _section("Over time", timeline(snapshot))
    yield _section("Categories", sections.by_category(snapshot))
    yield _section("Calls", call_table(snapshot))
    yield _section("Call details", tuple(details(snapshot)))
    yield _section("Errors", sections.errors(snapshot))
    if top_files:
        yield _section(f"Top {top_files} files", sections.files(snapshot, top_files))
    yield _section("Processes", sections.processes(snapshot))
    if needs is not None:
        yield _section("Profile", profile(needs))
    yield _section("Fidelity", sections.ledger(snapshot))
    yield _section("About this report", sections.provenance(snapshot, origin))


def _section(title: str, content: Content) -> Markup:
    return tag("section", (tag("h2", title), tag("div", content, class_="panel inside")))


def _cut(subject: str) -> str:
    # The last section has it in full.
    return subject if len(subject) <= _LONGEST_TITLE else f"{subject[:_LONGEST_TITLE]}…"
