"""
Writes a comparison in a format: to add one, write its function and list it in `_WRITERS`.

The names of the formats are in `syswatch.comparison.forms`.
"""

from importlib import import_module

from syswatch.comparison.change import Comparison

from .presentation import Presentation

__all__ = ["Presentation", "written"]

# The module of each; only the one that is needed is imported.
_WRITERS = {
    "text": "as_text",
    "json": "as_json",
    "markdown": "as_markdown",
    "junit": "as_junit",
    "html": "as_html",
}


def written(comparison: Comparison, name: str, how: Presentation) -> str:
    """Return a comparison in the format of a name."""
    module = import_module(f"{__name__}.{_WRITERS[name]}")
    text: str = module.write(comparison, how)
    return text
