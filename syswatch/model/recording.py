"""What is known of a recording while it is being made."""

from syswatch.base.classes import frozen

# What is written, if it is a line for each call.
LINES = "list of calls"


@frozen
class Save:
    """
    A part of a recording that was saved, or could not be.

    `request` is the number of the newest request that it answers.
    """

    number: int
    place: str
    reason: str
    request: int = 0
    # Why it could not be saved, as a clause.
    trouble: str = ""


@frozen
class RecordingState:
    """How far the recorder has got with one of its outputs."""

    # The directory or the file.
    place: str
    # What is written to it, as a noun.
    what: str = "recording"
    # What has been written: calls that returned, and calls that had not when it ended.
    calls: int = 0
    unfinished: int = 0
    written_bytes: int = 0
    segments: int = 0
    # The calls that are missing.
    lost: int = 0
    # Whether it is waiting for another process, which reads what is written.
    awaits_reader: bool = False
    # Why it stopped before the trace did, as a clause; empty if it did not.
    trouble: str = ""
    # Whether everything is written.
    is_complete: bool = False
    # The time of day from which on calls are kept, if older ones are removed, and that of the last.
    kept_from_ns: int = 0
    kept_to_ns: int = 0
    saves: tuple[Save, ...] = ()
