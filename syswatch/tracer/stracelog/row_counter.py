"""Counts plain calls by their rows, each different one once."""

from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from syswatch.tracer.collector import Collector

from .arguments import path_text
from .grammar import OPENS
from .line_format import DURATION, ERRNO, NAME, PATH, PID, SECOND, Row, name_of, number, second_of
from .log_clock import nanoseconds
from .log_filter import LogFilter


@attrs.define
class RowCounter:
    """Counts the calls that a filter admits."""

    collector: Collector
    filter: LogFilter
    fallback_pid: int = 0

    def count_rows(self, rows: Mapping[Row, int], origin_s: int) -> None:
        """Count complete calls; each different row is given with its number."""
        everything = self.filter.admits_everything
        for row, times in rows.items():
            if row[NAME] and (everything or self.filter.admits_row(row[NAME], row[ERRNO])):
                self.count_row(row, row[NAME], origin_s, times)
                if row[PATH]:
                    self.count_path(row[PATH], times, failed=bool(row[ERRNO]))

    def count_opened(self, rows: Sequence[Row]) -> None:
        """Count the paths in detailed rows."""
        opened = Counter(
            (row[NAME], row[PATH], row[ERRNO]) for row in rows if row[PATH] and row[NAME] in OPENS
        )
        for (name, path, errno), times in opened.items():
            if self.filter.admits_row(name, errno):
                self.count_path(path, times, failed=bool(errno))

    def count_path(self, quoted: bytes, times: int = 1, *, failed: bool) -> None:
        """Count calls that opened a path, or failed to."""
        if self.filter.options.read_arguments:
            # The descriptor of a directory may precede the path.
            quoted = quoted[quoted.index(b'"') :]
            path = self.filter.redact(path_text(quoted))
            self.collector.count_path(path, times, failed=failed)

    def count_row(self, row: Row, name: bytes, origin_s: int, times: int = 1) -> None:
        """Count calls that are equal."""
        pid, second, errno, duration = row[PID], row[SECOND], row[ERRNO], row[DURATION]
        self.collector.count(
            number(pid) or self.fallback_pid,
            name_of(name),
            name_of(errno),
            nanoseconds(duration) if duration else None,
            second_of(second, origin_s),
            times,
        )
