"""Counts plain calls by their rows."""

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from syswatch.base.classes import define
from syswatch.tracer.collector import Collector

from .arguments import path_text
from .grammar import OPENS
from .line_format import ERRNO, NAME, PATH, Row, name_of, number, second_of
from .log_filter import LogFilter
from .row_loops import loops

_OPENED = itemgetter(NAME, PATH, ERRNO)
_OPENING = frozenset(OPENS)


@define
class RowCounter:
    """Counts the calls that a filter admits."""

    collector: Collector
    filter: LogFilter
    fallback_pid: int = 0

    def count_rows(self, rows: list[Row], origin_s: int) -> None:
        """Count complete calls."""
        by_process, by_second = loops.tally(rows)
        for digits, name, count, _, untimed, total, least, most, errnos, buckets in by_process:
            sums = self.collector.sums_of(number(digits) or self.fallback_pid, name_of(name))
            sums.add_errors({name_of(each): times for each, times in (errnos or {}).items()})
            if buckets:
                sums.add_durations(total, least, most, buckets)
            sums.count += count
            self.collector.note("untimed_calls", untimed)
        for second, name, count, errors, _, total, *_ in by_second:
            at = second_of(second, origin_s)
            if at is None:
                self.collector.note("undated_calls", count)
            else:
                self.collector.count_second(at, name_of(name), count, errors, total)
        self._count_opened(rows)

    def _count_opened(self, rows: Sequence[Row]) -> None:
        opening = map(rows.__getitem__, loops.named(rows, _OPENING))
        opened = Counter([_OPENED(row) for row in opening if row[PATH]])
        for (_, path, errno), times in opened.items():
            self.count_path(path, times, failed=bool(errno))

    def count_path(self, quoted: bytes, times: int = 1, *, failed: bool) -> None:
        """Count calls that opened a path, or failed to."""
        if self.filter.options.read_arguments:
            # The descriptor of a directory may precede the path.
            quoted = quoted[quoted.index(b'"') :]
            path = self.filter.redact(path_text(quoted))
            self.collector.count_path(path, times, failed=failed)
