"""Things that are made when somebody looks at them: of thousands, a screen shows some fifty."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

import attrs

Raw = TypeVar("Raw")
Made = TypeVar("Made")


@attrs.frozen
class Late(Sequence[Made], Generic[Raw, Made]):
    """What a function makes of each of some things."""

    _raw: Sequence[Raw]
    _make: Callable[[Raw], Made]

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, at: int) -> Made: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Made]: ...

    def __getitem__(self, at: int | slice) -> Made | Sequence[Made]:
        """Make one of them, or some."""
        if isinstance(at, slice):
            return [self._make(raw) for raw in self._raw[at]]
        return self._make(self._raw[at])
