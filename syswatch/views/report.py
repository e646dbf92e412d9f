"""The report: one HTML file that needs nothing else, to be mailed and kept."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from syswatch.model.snapshot import CallStat, Snapshot, categories

from .moments import rfc3339
from .numbers import count, duration, long_duration, share
from .shapes import ledger_notes

_CALL_TITLES = (
    "Call",
    "Category",
    "Calls",
    "Errors",
    "Total",
    "Avg",
    "P95",
    "P99",
    "Max",
    "Top errno",
)


def report(snapshot: Snapshot, *, made: str, top_files: int = 0) -> str:
    """Return the page; `made` says how it came about."""
    style = files("syswatch.views").joinpath("report.css").read_text("utf-8")
    subject = snapshot.source.process.cmdline or snapshot.source.process.comm or "system calls"
    sections = [
        _cards(snapshot),
        _fidelity(snapshot),
        _section("Calls", _table(_CALL_TITLES, map(_call_row, snapshot.calls))),
        _section(
            "Categories", _table(("Category", "Calls", "Errors", "Time"), _categories(snapshot))
        ),
        _section("Errors", _table(("Call", "Errno", "Count"), _errors(snapshot.calls))),
    ]
    if top_files:
        sections.append(
            _section(
                f"Top {top_files} files", _table(("Path", "Opens"), _files(snapshot, top_files))
            )
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(subject)} · syswatch</title><style>{style}</style></head><body>"
        f'<h1>{escape(subject)}</h1><p class="dim">{escape(made)}</p>'
        + "".join(sections)
        + "</body></html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _cards(snapshot: Snapshot) -> str:
    failed = snapshot.errors / snapshot.total if snapshot.total else 0.0
    cards = [
        (count(snapshot.total), "calls"),
        (str(len(snapshot.calls)), "different"),
        (share(failed), f"failed ({count(snapshot.errors)})"),
        (duration(snapshot.total_ns), "in system calls"),
    ]
    if snapshot.elapsed_ns:
        began = snapshot.sums.span.first_ns if snapshot.sums.span else None
        cards.append((long_duration(snapshot.elapsed_ns), f"from {rfc3339(began)}"))
    items = (f"<li><b>{escape(figure)}</b>{escape(words)}</li>" for figure, words in cards)
    return f'<ul class="cards">{"".join(items)}</ul>'


def _fidelity(snapshot: Snapshot) -> str:
    notes = ledger_notes(snapshot.sums.ledger)
    if not notes:
        return '<p class="dim">Every number is exact: nothing was lost, cut or sampled.</p>'
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<div class="slow"><p>Not everything is exact:</p><ul>{items}</ul></div>'


def _table(titles: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _call_row(call: CallStat) -> Sequence[str]:
    tally = call.tally
    times = (tally.total_ns, tally.average_ns, call.p95_ns, call.p99_ns, tally.max_ns)
    return (
        call.name,
        call.category,
        f"{tally.count:,}",
        f"{tally.errors:,}" if tally.errors else "–",
        *(duration(time) if tally.histogram.counts else "–" for time in times),
        tally.top_errno or "–",
    )


def _categories(snapshot: Snapshot) -> Iterator[Sequence[str]]:
    for category, tally in categories(snapshot.calls).items():
        yield category, f"{tally.count:,}", f"{tally.errors:,}", duration(tally.total_ns)


def _errors(calls: Sequence[CallStat]) -> Iterator[Sequence[str]]:
    for call in calls:
        for errno, times in sorted(call.tally.errnos.items(), key=lambda item: -item[1]):
            yield call.name, errno, f"{times:,}"


def _files(snapshot: Snapshot, most: int) -> Iterator[Sequence[str]]:
    ranked = sorted(snapshot.sums.paths.items(), key=lambda item: (-item[1], item[0]))
    for path, times in ranked[:most]:
        yield path, f"{times:,}"
