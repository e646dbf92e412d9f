"""The list and the part of the trace that are shown, and the way back."""

from collections.abc import Mapping
from typing import Any

import attrs

from syswatch.base.classes import define, frozen

from .listing import ALL, Listing, ListState, Scope


@frozen
class Place:
    """A list by its name, and the part of the trace that it covers."""

    name: str
    scope: Scope = ALL


@define
class Places:
    """The place that is shown, those that Escape returns to, and the state of the list in each."""

    lists: Mapping[str, Listing[Any]]
    current: Place
    _before: list[Place] = attrs.field(factory=list)
    _states: dict[Place, ListState] = attrs.field(factory=dict)

    @property
    def listing(self) -> Listing[Any]:
        """The list that is shown."""
        listing = self.lists[self.current.name]
        return listing if self.current.scope == ALL else listing.scoped or listing

    @property
    def state(self) -> ListState:
        """What the user has chosen for this list of this part of the trace."""
        if self.current not in self._states:
            self._states[self.current] = ListState.of(self.listing)
        return self._states[self.current]

    def switch(self, name: str) -> None:
        """Show another list of the same part of the trace."""
        self.current = Place(name, self.current.scope)

    def enter(self, place: Place) -> None:
        """Show a list of a part of the trace."""
        if place != self.current:
            self._before.append(self.current)
            self.current = place

    def back(self) -> bool:
        """Return to the place before, if there is one; return whether there is."""
        if not self._before:
            return False
        self.current = self._before.pop()
        return True
