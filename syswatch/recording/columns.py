"""
The columns of the tables in a recording.

They can be read by any program that reads Parquet; the documentation lists them from here.
"""

from typing import Final

from syswatch.base.classes import frozen


@frozen
class Column:
    """A column: its name, its type as Arrow spells it, and what it holds."""

    name: str
    type: str
    meaning: str
    # Whether a value may be missing, and what that means.
    missing: str = ""


_ARGUMENTS = tuple(
    Column(f"a{index}", "uint64", f"raw argument {index}", "arguments were not recorded")
    for index in range(6)
)
CALLS: Final = (
    Column("start", "timestamp[ns, UTC]", "when the call began"),
    Column("duration", "int64", "nanoseconds until it returned", "it had not returned"),
    Column("waiting", "int64", "of these, the thread was blocked"),
    Column("ready", "int64", "of these, the thread could run but had no CPU"),
    Column("waited", "bool", "whether the thread gave up its CPU"),
    Column("estimated", "bool", "whether the time waiting is an estimate"),
    Column("untimed", "bool", "whether it began before the trace, or its log has no durations"),
    Column("pid", "int32", "process"),
    Column("tid", "int32", "thread"),
    Column("name", "dictionary<string>", "system call"),
    Column("result", "int64", "what it returned, or a negated errno", "it had not returned"),
    Column("errno", "dictionary<string>", "name of the error", "it did not fail"),
    Column("bytes", "int64", "bytes that it read or wrote"),
    Column("object", "int64", "key of the table of objects", "it acts on none"),
    Column("written_to", "int64", "object that the bytes were copied to", "it copies none"),
    *_ARGUMENTS,
    Column("args", "string", "arguments as strace shows them", "they were not decoded"),
    Column("ret", "string", "result as strace shows it", "it was not decoded"),
    Column("cpu", "int16", "CPU on which it returned", "unknown"),
)
# Columns of calls whose differences are stored, because they are small.
GROWING: Final = ("start", "duration")
LOSSES: Final = (
    Column("second", "timestamp[ms, UTC]", "in which calls are missing"),
    Column("tid", "int32", "thread, 0 if unknown"),
    Column("count", "int64", "how many calls are missing"),
)
PROCESSES: Final = (
    Column("pid", "int32", "process"),
    Column("parent", "int32", "its parent", "unknown"),
    Column("command", "string", "name of the command"),
    Column("command_line", "string", "arguments, separated by spaces"),
    Column("start", "timestamp[ns, UTC]", "when it started", "before the trace"),
    Column("end", "timestamp[ns, UTC]", "when it ended", "after the trace"),
    Column("ending", "string", "how it ended"),
)
OBJECTS: Final = (
    Column("object", "int64", "the key"),
    Column("kind", "string", "kind of object, such as `file` or `tcp`"),
    Column("name", "string", "path, address or whatever names it"),
    Column("service", "string", "service of a port"),
    Column("host", "string", "host name of a peer"),
    Column("detail", "string", "what else is known"),
)
BINS: Final = (
    Column("start", "timestamp[ns, UTC]", "begin of an interval of 10 ms, or of one long call"),
    Column("length", "int64", "nanoseconds of the interval, or of the long call", "unfinished"),
    Column("pid", "int32", "process"),
    Column("tid", "int32", "thread"),
    Column("name", "dictionary<string>", "system call"),
    Column("calls", "int64", "how many such calls began in the interval"),
    Column("errors", "int64", "how many of these failed"),
    Column("working", "int64", "nanoseconds within the interval on a CPU in such calls"),
    Column("waiting", "int64", "nanoseconds blocked"),
    Column("ready", "int64", "nanoseconds ready to run but without a CPU"),
    Column("longest", "int64", "duration of the longest call that began in the interval"),
    Column("row", "int32", "its row in the table of calls", "none began in the interval"),
)
