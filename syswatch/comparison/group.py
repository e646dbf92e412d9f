"""A group of events that one sentence tells of, such as openings of many files of a directory."""

from syswatch.base.classes import frozen

from .change import Change
from .events import Event
from .run import Kind

FILES = (Kind.FILE, Kind.PATH)


@frozen
class Group:
    """Events that one sentence tells of."""

    events: tuple[Event, ...]
    # What the files are below, if there are several in one directory.
    directory: str | None = None
    # The names of the files, if each of them fails in several directories.
    names: tuple[str, ...] = ()
    # What went away as these came: the same calls on files in another place.
    replaced: tuple[Event, ...] = ()
    # What follows from the events: sums, and what is in proportion to them.
    consequences: tuple[Change, ...] = ()
    # How many groups of the consequences are only in proportion to the executions of a program.
    in_proportion: int = 0

    @property
    def lead(self) -> Change:
        """The change that tells the most."""
        return self.events[0].lead

    @property
    def leads(self) -> tuple[Change, ...]:
        """What the sentence says."""
        return tuple(event.lead for event in (*self.events, *self.replaced))

    @property
    def rest(self) -> tuple[Change, ...]:
        """What follows from it."""
        events = (*self.events, *self.replaced)
        return (*(each for event in events for each in event.changes[1:]), *self.consequences)

    @property
    def is_failing(self) -> bool:
        """Return whether all additional calls fail, or all that are missing failed."""
        return all(event.is_failing for event in self.events)

    @property
    def difference(self) -> int:
        """How much more all leading changes are after than before."""
        return sum(event.lead.difference for event in self.events)
