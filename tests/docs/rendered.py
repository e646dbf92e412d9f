"""
The parts of the documentation that are rendered from registries of the code.

`python -m tests.docs.rendered` writes them to docs/rendered, where pages include them.
"""

from collections.abc import Callable, Iterator, Mapping

from syswatch.options.declaration import Command, Option
from syswatch.options.registry import COMMANDS
from tests.docs.pages import DOCS

_FOLDER = DOCS / "rendered"


def commands() -> Iterator[str]:
    """Yield the lines of the reference of all commands."""
    for command in COMMANDS:
        yield from (command.name, "-" * len(command.name), "")
        yield from _command(command)


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


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("|", "\\|")


RENDERED: Mapping[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
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
