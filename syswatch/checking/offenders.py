"""What has the largest shares of a figure."""

from collections.abc import Callable, Iterator, Mapping

from .result import Offenders, Share

_MOST_SHARES = 5


def shares(
    title: str, amounts: Mapping[str, int], text: Callable[[int], str]
) -> Iterator[Offenders]:
    """Yield the largest shares; what has no name, or no part of it, is left out."""
    named = [(name, amount) for name, amount in amounts.items() if name and amount]
    named.sort(key=lambda item: (-item[1], item[0]))
    if named:
        shown = tuple(Share(name, text(amount)) for name, amount in named[:_MOST_SHARES])
        yield Offenders(title, shown, len(named) - len(shown))
