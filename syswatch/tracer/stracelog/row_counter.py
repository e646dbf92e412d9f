"""Counts plain calls by their rows, each different one once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter

import attrs

from syswatch.tracer.collector import Collector

from .arguments import path_text
from .grammar import OPENS
from .line_format import ERRNO, NAME, PATH, Counted, Row, name_of, number, second_of
from .log_clock import nanoseconds
from .log_filter import LogFilter

_OPENED = itemgetter(NAME, PATH, ERRNO)


@attrs.define
class RowCounter:
    """Counts the calls that a filter admits."""

    collector: Collector
    filter: LogFilter
    fallback_pid: int = 0

    def count_rows(self, rows: Mapping[Counted, int], origin_s: int) -> None:
        """Count complete calls; those that are equal are given with their number."""
        everything = self.filter.admits_everything
        for (digits, second, name, _, errno, duration), times in rows.items():
            if everything or self.filter.admits_row(name, errno):
                self.collector.count(
                    number(digits) or self.fallback_pid,
                    name_of(name),
                    name_of(errno),
                    nanoseconds(duration) if duration else None,
                    second_of(second, origin_s),
                    times,
                )

    def count_opened(self, rows: Sequence[Row]) -> None:
        """Count the paths in detailed rows."""
        opened = Counter([_OPENED(row) for row in rows if row[NAME] in OPENS and row[PATH]])
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
