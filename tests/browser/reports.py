"""Reports in files, for the browser to open."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from syswatch.model.snapshot import Snapshot
from syswatch.views.report import Provenance, report


def written_report(folder: str, lines: Sequence[str]) -> Path:
    """Write a log and a report of it into a new folder; return the report's URL."""
    place = Path(folder).absolute()
    place.mkdir()
    log, page = place / "a.log", place / "report.html"
    log.write_text("".join(f"{each}\n" for each in lines))
    command = ("stats", "--report", page, "--report-top-files", "5", log)
    subprocess.run(
        [sys.executable, "-m", "syswatch", *command], check=True, stdout=subprocess.DEVNULL
    )
    return page


def report_file(folder: str, snapshot: Snapshot) -> Path:
    """Write a report of a snapshot into a new folder; return its path."""
    place = Path(folder).absolute()
    place.mkdir()
    page = place / "report.html"
    origin = Provenance("syswatch run --report report.html -- app", "1", "Linux", "2026-01-02")
    page.write_text(report(snapshot, origin=origin, top_files=5), "utf-8")
    return page
