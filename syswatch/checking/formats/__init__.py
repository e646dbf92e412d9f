"""The formats of a result: to add one, write its function, and list it here and in `forms`."""

from collections.abc import Callable, Mapping
from typing import Final

from syswatch.checking.result import Result

from .json_form import as_json
from .junit import as_junit
from .markdown import as_markdown
from .text import as_text

FORMATS: Final[Mapping[str, Callable[[Result], str]]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "junit": as_junit,
}
