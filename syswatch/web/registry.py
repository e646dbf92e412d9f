"""
Writes `static/registry.js`: what the scripts of the pages share with the other views.

After a change to the columns, categories, states or kinds of object, run
`python -m syswatch.web.registry`; a test fails if the file is out of date.
"""

import json
from collections.abc import Mapping, Sequence
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


def script() -> str:
    """Return the content of the file."""
    columns = [
        {
            "key": COLUMNS[key].field,
            "title": COLUMNS[key].short_title,
            "about": COLUMNS[key].meaning,
            "width": place.width,
            "extra": place.extra,
            "isNumber": COLUMNS[key].is_number,
        }
        for key, place in WEB.items()
    ]
    categories = [
        {
            "name": category.value,
            "title": category.heading,
            "about": category.description,
            "style": category.css_class,
        }
        for category in Category
    ]
    states = [
        {
            "key": state.value,
            "title": state.title,
            "letter": state.letter,
            "about": state.description,
            "field": state.value.capitalize(),
        }
        for state in TimeState
    ]
    kinds = [
        {
            "name": kind.value,
            "title": kind.title,
            "plural": kind.plural,
            "style": wait_group(kind).css_class,
        }
        for kind in ObjectKind
    ]
    shares = [
        {
            "key": share_of.value,
            "title": share_of.title,
            "without": [state.value for state in TimeState if not is_included(state, share_of)],
        }
        for share_of in ShareOf
    ]
    return "\n".join(
        (
            "// Written by `python -m syswatch.web.registry`; do not edit.",
            "",
            "/** From this share of failed calls on, a call is shown as failing. */",
            f"export const MOSTLY_FAILING = {MOSTLY_FAILING};",
            "/** For how many seconds the server keeps history. */",
            f"export const HISTORY_S = {HISTORY_S};",
            f"export const CATEGORIES = {_table(categories)};",
            f"export const COLUMNS = {_table(columns)};",
            f"export const STATES = {_table(states)};",
            "/** What the shares of the states may be parts of. */",
            f"export const SHARES = {_table(shares)};",
            f"export const OBJECT_KINDS = {_table(kinds)};",
            "",
        )
    )


def _table(rows: Sequence[Mapping[str, object]]) -> str:
    lines = (
        ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in row.items())
        for row in rows
    )
    return "[\n" + "".join(f"  {{ {line} }},\n" for line in lines) + "]"


if __name__ == "__main__":
    SCRIPT.write_text(script(), "utf-8")
