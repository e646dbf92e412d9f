"""
The parts of the documentation that are rendered from registries of the code.

`python -m tests.docs.rendered` writes them to docs/rendered, where pages include them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from syswatch.checking.forms import CONTENTS
from syswatch.comparison.forms import FORMATS as COMPARISONS
from syswatch.comparison.forms import ONLY
from syswatch.model.backends import SOURCES, Capability, Source
from syswatch.model.catalog import Category
from syswatch.model.objects import ObjectKind
from syswatch.options import PROGRAM
from syswatch.options.declaration import Command, Option
from syswatch.recording.columns import BINS, CALLS, LOSSES, OBJECTS, PROCESSES, Column
from syswatch.recording.forms import EXPORTS
from syswatch.recording.query.macros import MEANINGS
from syswatch.recording.query.questions import questions as all_questions
from syswatch.recording.query.views import TYPES, VIEWS
from syswatch.views.alerts import RULES
from syswatch.views.budget import idle_rules as rules
from syswatch.views.budget.states import TimeState
from syswatch.views.columns import COLUMNS, SUMMARY, TERMINAL, WEB
from syswatch.views.formats import FORMATS
from tests.docs.object_names import EXAMPLES
from tests.docs.pages import DOCS

_FOLDER = DOCS / "rendered"
_Row = Sequence[str]


def sources() -> Iterator[str]:
    """Yield the lines of the table of what each source provides."""
    rows = [
        (
            _sentence(capability.description),
            f"`{capability.option}`" if capability.option else "–",
            *(_cell(capability, source) for source in SOURCES),
        )
        for capability in Capability
    ]
    yield from _table(("Provides", "Option", *(source.title for source in SOURCES)), rows)


def commands() -> Iterator[str]:
    """Yield the lines of the reference of all commands."""
    for command in PROGRAM.commands:
        yield from (command.name, "-" * len(command.name), "")
        yield from _command(command)


def alerts() -> Iterator[str]:
    """Yield the lines of the table of alerts."""
    rows = [
        (
            f"`{rule.kind}`",
            _marked(rule.trigger),
            ", or ".join(severity.label for severity in rule.severities),
            _marked(rule.harmless),
        )
        for rule in RULES
    ]
    yield from _table(("Kind", "Condition", "Severity", "When it is harmless"), rows)


def categories() -> Iterator[str]:
    """Yield the lines of the table of categories."""
    rows = [(f"`{each}`", each.heading, each.description) for each in Category]
    yield from _table(("Label", "Category", "System calls"), rows)


def columns() -> Iterator[str]:
    """Yield the lines of the table of columns."""
    tables = (SUMMARY, TERMINAL, WEB)
    rows = [
        (column.short_title, column.meaning, *("yes" if key in each else "no" for each in tables))
        for key, column in COLUMNS.items()
        if column.title
    ]
    yield from _table(("Column", "Meaning", "Summary", "Terminal UI", "Dashboard"), rows)


def formats() -> Iterator[str]:
    """Yield the lines of the table of output formats."""
    rows = [(f"`{each.name}`", _sentence(each.content)) for each in FORMATS.values()]
    yield from _table(("Format", "Content"), rows)


def diff_formats() -> Iterator[str]:
    """Yield the lines of the table of formats of comparisons."""
    rows = [(f"`{name}`", _sentence(content)) for name, content in COMPARISONS.items()]
    yield from _table(("Format", "Content"), rows)


def diff_parts() -> Iterator[str]:
    """Yield the lines of the table of what can be compared alone."""
    rows = [(f"`{name}`", _sentence(content)) for name, content in ONLY.items()]
    yield from _table(("Word", "What is compared"), rows)


def check_formats() -> Iterator[str]:
    """Yield the lines of the table of formats of a check."""
    rows = [(f"`{name}`", _sentence(content)) for name, content in CONTENTS.items()]
    yield from _table(("Format", "Content"), rows)


def time_states() -> Iterator[str]:
    """Yield the lines of the table of the states of a thread."""
    rows = [(state.title, f"`{state.value}`", f"{state.description}.") for state in TimeState]
    yield from _table(("State", "In JSON", "Meaning"), rows)


def idle_rules() -> Iterator[str]:
    """Yield the lines of the table of idle rules."""
    rows = [
        (rule.condition, "idle" if rule.is_idle else "blocked", rule.reason) for rule in rules.RULES
    ]
    yield from _table(("Waits", "Are", "Reason"), rows)


def object_kinds() -> Iterator[str]:
    """Yield the lines of the table of kinds of objects, with the name of one of each kind."""
    rows = [
        (f"`{kind.value}`", kind.plural, f"`{EXAMPLES[kind]}`")
        for kind in ObjectKind
        if kind is not ObjectKind.NONE
    ]
    yield from _table(("Kind", "Objects", "A name"), rows)


def recorded(columns_of_table: Iterable[Column]) -> Iterator[str]:
    """Yield the lines of the list of columns of a table in a recording."""
    rows = [
        (f"`{column.name}`", f"`{column.type}`", column.meaning, column.missing)
        for column in columns_of_table
    ]
    yield from _table(("Column", "Type", "Meaning", "Null if"), rows)


def questions() -> Iterator[str]:
    """Yield the lines of the table of ready-made questions."""
    rows = [
        (f"`{name}`", question.title, ", ".join(f"`{each}`" for each in question.parameters) or "–")
        for name, question in all_questions().items()
    ]
    yield from _table(("Name", "Question", "Parameters"), rows)


def query_views() -> Iterator[str]:
    """Yield the lines of the views of a recording, with the columns of each."""
    for view in VIEWS:
        yield from (f".. rubric:: {view.name}", "", f"{_sentence(view.meaning)}.", "")
        rows = [
            (
                f"`{each.name}`",
                f"`{TYPES[each.type]}`",
                _sentence(each.meaning),
                each.missing or "–",
            )
            for each in view.columns
        ]
        yield from _table(("Column", "Type", "Meaning", "NULL if"), rows)
        yield ""


def exports() -> Iterator[str]:
    """Yield the lines of the table of formats of exports."""
    rows = [(f"`{name}`", _sentence(content)) for name, content in EXPORTS.items()]
    yield from _table(("Format", "Content"), rows)


def query_functions() -> Iterator[str]:
    """Yield the lines of the table of functions for queries."""
    rows = [(f"`{name}`", _sentence(meaning)) for name, meaning in MEANINGS.items()]
    yield from _table(("Function", "Returns"), rows)


def _table(titles: _Row, rows: Iterable[_Row]) -> Iterator[str]:
    yield from (".. list-table::", "   :header-rows: 1", "")
    for first, *others in (titles, *rows):
        yield f"   * - {first}"
        yield from (f"     - {cell}".rstrip() for cell in others)


def _cell(capability: Capability, source: Source) -> str:
    if capability not in source.capabilities:
        return "no"
    return source.conditions.get(capability, "yes")


def _command(command: Command) -> Iterator[str]:
    yield from (f"{command.purpose}.", "", ".. code-block:: text", "")
    yield from (f"   syswatch {command.name} {command.synopsis}".rstrip(), "")
    for paragraph in filter(None, command.description.split("\n\n")):
        yield from (_escaped(paragraph), "")
    yield from (".. code-block:: text", "")
    for example in command.examples:
        yield from (f"   # {example.purpose}", f"   $ {example.line}")
    yield ""
    for group, options in command.groups.items():
        yield from (f".. rubric:: {group.value}", "")
        for option in options:
            yield from (_term(option), f"   {_escaped(option.description)}.", "")


def _term(option: Option) -> str:
    value = f" {option.metavar}" if option.metavar else ""
    return ", ".join(f"`{spelling}{value}`" for spelling in option.spellings)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _marked(text: str) -> str:
    """Return a sentence with its errnos as literals."""
    return re.sub(r"\bE[A-Z]{2,}\b", r"`\g<0>`", text)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("|", "\\|")


RENDERED: Mapping[str, Callable[[], Iterator[str]]] = {
    "alerts": alerts,
    "categories": categories,
    "check-formats": check_formats,
    "columns": columns,
    "commands": commands,
    "exports": exports,
    "formats": formats,
    "diff-formats": diff_formats,
    "diff-parts": diff_parts,
    "idle-rules": idle_rules,
    "object-kinds": object_kinds,
    "recorded-bins": partial(recorded, BINS),
    "recorded-calls": partial(recorded, CALLS),
    "recorded-losses": partial(recorded, LOSSES),
    "recorded-objects": partial(recorded, OBJECTS),
    "recorded-processes": partial(recorded, PROCESSES),
    "query-functions": query_functions,
    "query-views": query_views,
    "questions": questions,
    "sources": sources,
    "time-states": time_states,
}


def file_of(name: str) -> str:
    """Return what a file of docs/rendered should hold."""
    return "\n".join(RENDERED[name]()).rstrip("\n") + "\n"


def main() -> None:
    """Write all files."""
    _FOLDER.mkdir(exist_ok=True)
    for name in RENDERED:
        (_FOLDER / f"{name}.rst").write_text(file_of(name), "utf-8")


if __name__ == "__main__":
    main()
