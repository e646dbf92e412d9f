"""Options that choose how the time is presented: which waits are idle, and what shares are of."""

from syswatch.model.preferences import Preferences, ShareOf, WaitPattern

from . import checks
from .arguments import Arguments, UsageError
from .declaration import Clash, Group, Option

_NO_WAITS = (
    Clash("no-objects", "follows no waits"),
    Clash("mode", "follows no waits", "counts"),
)
_SHARES = {each.value: each for each in ShareOf}
OPTIONS = (
    Option(
        "share",
        "Show shares of the time of all threads, of that without idle waits, or of that in calls",
        Group.OUTPUT,
        metavar="OF",
        choices=tuple(_SHARES),
        default=Preferences().share.value,
    ),
    Option(
        "idle",
        "Count these waits as idle: calls, kinds, objects such as '/run/*', or CALL@OBJECT",
        Group.OUTPUT,
        metavar="PATTERN",
        repeatable=True,
        clashes=_NO_WAITS,
    ),
    Option(
        "blocked",
        "Count these waits as blocked, although they look idle",
        Group.OUTPUT,
        metavar="PATTERN",
        repeatable=True,
        clashes=_NO_WAITS,
    ),
)


def preferences(arguments: Arguments) -> Preferences:
    """Check the options and return them."""
    # What someone wants to see as blocked is not hidden by a wider pattern of idle waits.
    waits = tuple(
        pattern
        for name in ("blocked", "idle")
        for text in arguments.every(name)
        for pattern in _patterns(arguments, name, text)
    )
    return Preferences(_SHARES[checks.choice(arguments, "share")], waits)


def _patterns(arguments: Arguments, name: str, text: str) -> tuple[WaitPattern, ...]:
    # It needs the catalog of calls.
    from syswatch.views.budget.patterns import PatternError, wait_patterns

    try:
        return wait_patterns(f"--{name}", text, is_idle=name == "idle")
    except PatternError as error:
        raise UsageError(f"{arguments.label(name)}: {error}") from error
