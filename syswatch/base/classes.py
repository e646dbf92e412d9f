"""
Classes of attrs that are created in less than half the time.

A process creates hundreds of them when it starts, and attrs writes and compiles `__repr__`,
`__eq__` and `__hash__` for each.  Here all classes share these methods; `__init__`, which matters
most for speed, remains that of attrs.  Fields cannot have keys of their own to compare by.
"""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

import attrs

__all__ = ("define", "frozen")

if TYPE_CHECKING:
    # Type checkers know these by name.
    from attrs import define, frozen
else:

    def _sharing(make: Callable[..., type], *, is_hashable: bool) -> Callable[..., Any]:
        """Return a decorator that creates a class as another does, but shares methods."""

        def create(
            cls: type | None = None,
            *,
            repr: bool = True,  # noqa: A002  its name in attrs
            eq: bool = True,
            order: bool = False,
            **options: Any,
        ) -> Any:
            if cls is None:
                return partial(create, repr=repr, eq=eq, order=order, **options)
            created = make(cls, repr=False, eq=order, order=order, **options)
            own = vars(cls)
            if repr and "__repr__" not in own:
                created.__repr__ = _show
            # An exception is only equal to itself; what is ordered has all methods of attrs.
            if eq and not order and "__eq__" not in own and not issubclass(cls, BaseException):
                names = [field.name for field in attrs.fields(created) if field.eq]
                created.__compared__ = attrgetter(*names or ("__class__",))
                created.__eq__ = _is_equal
                if "__hash__" not in own:
                    created.__hash__ = _hash if is_hashable else None
            return created

        return create

    @recursive_repr()
    def _show(self: attrs.AttrsInstance) -> str:
        cls = type(self)
        values = (
            f"{field.name}={getattr(self, field.name, attrs.NOTHING)!r}"
            for field in attrs.fields(cls)
            if field.repr
        )
        return f"{cls.__qualname__}({', '.join(values)})"

    def _is_equal(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        compared = self.__compared__
        return compared(self) == compared(other)

    def _hash(self: Any) -> int:
        return hash(self.__compared__(self))

    define = _sharing(attrs.define, is_hashable=False)
    frozen = _sharing(attrs.frozen, is_hashable=True)
