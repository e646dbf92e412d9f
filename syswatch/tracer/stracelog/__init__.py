"""
Parses logs of strace.

`LogParser` takes complete lines (`lines`) and counts calls.  It detects the format of the lines
(`line_format`), which depends on the options of strace, and makes a regular expression for it that
counts plain calls, thousands of lines at a time.  All other lines are parsed one by one by
`grammar`, the exact definition of what strace writes.  The two halves of a call that was
interrupted by another thread are joined by `unfinished_calls`, most of them already by
`plain_halves`; `log_clock` turns the times of lines into times since 1970; `process_lifetimes`
notices when a PID is reused.  `log_filter` applies the options of `stats`, `arguments` finds paths
and strings in the arguments.

Calls that the log view shows are `samples`: the newest lines are kept, and parsed only if they are
still among the newest when a delta is taken.

A large log is parsed in parts, each by a parser of its own.  A `LogPart` carries what depends on
the parts before it, so that the sum is the same as if the log were parsed in one go.
"""
