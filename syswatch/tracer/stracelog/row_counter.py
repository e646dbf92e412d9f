"""Counts plain calls by their rows."""

from collections.abc import Sequence

from syswatch.base.classes import define
from syswatch.tracer.collector import Collector

from .arguments import path_text
from .grammar import OPENS
from .line_format import ERRNO, PATH, Row, name_of, number, second_of
from .log_filter import LogFilter
from .row_loops import loops

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
        opening = [rows[index] for index in loops.named(rows, _OPENING)]
        for path, calls in loops.by_path(loops.only_with(opening, PATH)).items():
            failed = len(loops.with_field(calls, ERRNO))
            if failed:
                self.count_path(path, failed, failed=True)
            if failed < len(calls):
                self.count_path(path, len(calls) - failed, failed=False)

    def count_path(self, quoted: bytes, times: int = 1, *, failed: bool) -> None:
        """Count calls that opened a path, or failed to."""
        if self.filter.options.read_arguments:
            # The descriptor of a directory may precede the path.
            quoted = quoted[quoted.index(b'"') :]
            path = self.filter.redact(path_text(quoted))
            self.collector.count_path(path, times, failed=failed)
