"""The parts of a comparison that can be made alone, by the words of `--only`."""

from typing import Final

from syswatch.base.classes import frozen

from .run import Figure, Kind, Subject

# How the endings of the command itself begin, which are without a name.
OF_COMMAND: Final = ("exited with ", "killed by ")
_PERCENTILES: Final = (Figure.P50, Figure.P95, Figure.P99)


def is_of_command(subject: Subject) -> bool:
    """Return whether a subject is how the command ended, rather than one of its processes."""
    return subject.kind is Kind.ENDING and subject.name.startswith(OF_COMMAND)


@frozen
class Part:
    """Some of what is compared: figures of some kinds of subjects."""

    kinds: frozenset[Kind] = frozenset(Kind)
    figures: frozenset[Figure] = frozenset(Figure)
    # Of endings, only those of the command, or only those of processes.
    of_command: bool | None = None

    def includes(self, subject: Subject, figure: Figure) -> bool:
        """Return whether a figure belongs to it."""
        return (
            subject.kind in self.kinds
            and figure in self.figures
            and self.of_command in (None, is_of_command(subject))
        )


def _of_kind(kind: Kind, *, of_command: bool | None = None) -> Part:
    return Part(frozenset({kind}), of_command=of_command)


def _of_figures(*figures: Figure) -> Part:
    return Part(figures=frozenset(figures))


# In the order of `forms.ONLY`, which has the same words.
PARTS: Final = {
    "calls": _of_kind(Kind.CALL),
    "errors": _of_kind(Kind.ERROR),
    "bytes": _of_figures(Figure.BYTES_IN, Figure.BYTES_OUT),
    "times": _of_figures(Figure.WORKING, Figure.WAITING, *_PERCENTILES, Figure.WALL),
    "working": _of_figures(Figure.WORKING),
    "waiting": _of_figures(Figure.WAITING),
    "percentiles": _of_figures(*_PERCENTILES),
    "paths": _of_kind(Kind.PATH),
    "files": _of_kind(Kind.FILE),
    "peers": _of_kind(Kind.PEER),
    "objects": _of_kind(Kind.OBJECT),
    "processes": _of_kind(Kind.ENDING, of_command=False),
    "programs": _of_kind(Kind.PROGRAM),
    "exit-status": _of_kind(Kind.ENDING, of_command=True),
    "endings": _of_kind(Kind.ENDING),
    "total": _of_kind(Kind.TOTAL),
}
