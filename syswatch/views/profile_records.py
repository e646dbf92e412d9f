"""The record of the profile that a traced program needs: the tab and the report show the same."""

from msgspec import field

from .records import Count, Nanoseconds, Record


class ProfileRule(Record, frozen=True):
    """
    A call that the profile permits with some arguments, and why.

    `First` is empty, and `Count` is 0, if the call was not seen but added.  `Effect` is empty
    unless the call is made to fail.
    """

    call: str
    arguments: str = field(name="With")
    count: Count
    programs: list[str]
    first: str
    reasons: list[str]
    effect: str
    dangers: list[str]


class ProfileFormat(Record, frozen=True):
    """A format of `/api/profile`, and what it can't express of this profile."""

    name: str
    title: str
    file_name: str
    losses: list[str]


class ProfileSummary(Record, frozen=True):
    """
    What the program needs, as far as it is known.

    `Calls` counts those that were seen, and `Permitted` also those that the level adds.  `After` is
    when the last new one was seen, from the start of the trace on, and `Quiet` how long ago that
    was; both are null if it is not known.
    """

    verdict: str
    newest: str
    about: str
    notes: list[str]
    level: str
    calls: Count
    permitted: Count
    after: Nanoseconds | None
    quiet: Nanoseconds | None
    rules: list[ProfileRule]
    formats: list[ProfileFormat]
