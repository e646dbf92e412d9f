"""
Writes `static/registry.js`: what the scripts of the pages share with the other views.

After a change to the columns, categories, states or kinds of object, run
`python -m syswatch.web.registry`; a test fails if the file is out of date.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from syswatch.model.catalog import Category
from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.model.snapshot import MOSTLY_FAILING
from syswatch.model.window import HISTORY_S
from syswatch.views.budget.budget import is_included
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.wait_groups import wait_group
from syswatch.views.columns import COLUMNS, WEB

SCRIPT = Path(__file__).with_name("static") / "registry.js"

Row = Mapping[str, object]


def script() -> str:
    """Return the content of the file."""
    return "\n".join(
        (
            "// Written by `python -m syswatch.web.registry`; do not edit.",
            "",
            "/** From this share of failed calls on, a call is shown as failing. */",
            f"export const MOSTLY_FAILING = {MOSTLY_FAILING};",
            "/** For how many seconds the server keeps history. */",
            f"export const HISTORY_S = {HISTORY_S};",
            f"export const CATEGORIES = {_table(map(_category, Category))};",
            f"export const COLUMNS = {_table(map(_column, WEB))};",
            f"export const STATES = {_table(map(_state, TimeState))};",
            "/** What the shares of the states may be parts of. */",
            f"export const SHARES = {_table(map(_share, ShareOf))};",
            f"export const OBJECT_KINDS = {_table(map(_kind, ObjectKind))};",
            "",
        )
    )


def _category(category: Category) -> Row:
    return {
        "name": category.value,
        "title": category.heading,
        "about": category.description,
        "style": category.css_class,
    }


def _column(key: str) -> Row:
    column, place = COLUMNS[key], WEB[key]
    return {
        "key": column.field,
        "title": column.short_title,
        "about": column.meaning,
        "width": place.width,
        "extra": place.extra,
        "isNumber": column.is_number,
    }


def _state(state: TimeState) -> Row:
    return {
        "key": state.value,
        "title": state.title,
        "letter": state.letter,
        "about": state.description,
        "field": state.value.capitalize(),
    }


def _share(share_of: ShareOf) -> Row:
    return {
        "key": share_of.value,
        "title": share_of.title,
        "without": [state.value for state in TimeState if not is_included(state, share_of)],
    }


def _kind(kind: ObjectKind) -> Row:
    return {
        "name": kind.value,
        "title": kind.title,
        "plural": kind.plural,
        "style": wait_group(kind).css_class,
    }


def _table(rows: Iterable[Row]) -> str:
    lines = (
        ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in row.items())
        for row in rows
    )
    return "[\n" + "".join(f"  {{ {line} }},\n" for line in lines) + "]"


if __name__ == "__main__":
    SCRIPT.write_text(script(), "utf-8")
