"""The last line: keys, and the filter that is set."""

from .keys import FILTER_FOOTER, FOOTER
from .styled_text import Line, align_left, cell_width, join_lines, that_fit

_MAX_FILTER_CELLS = 20


def hints(width: int, filtered_by: str, *, has_ended: bool) -> Line:
    """Return the keys that fit, after the filter or that the trace has ended."""
    status = ""
    if filtered_by:
        shown = align_left(filtered_by, _MAX_FILTER_CELLS).rstrip()
        status = f"filter: {shown} (esc clears)  "
    elif has_ended:
        status = "ended  "
    *first, last = map(_hint, FOOTER)
    free = width - cell_width([(status, ""), ("  ", ""), *last])
    return [(status, "bar"), *join_lines([*that_fit(first, free), last])]


def while_filtering() -> Line:
    """Return the keys of the filter."""
    return join_lines(map(_hint, FILTER_FOOTER))


def _hint(hint: tuple[str, str]) -> Line:
    key, text = hint
    return [(key, "key"), (f" {text}", "bar")]
