"""`syswatch diff`: show what changed between runs."""

from collections.abc import Sequence

from syswatch.comparison.forms import FORMATS, ONLY
from syswatch.options import checks, engine, reading
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Diff
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option, Value
from syswatch.options.effects import check_effects
from syswatch.options.serving import PRESENTED_TOKEN, token
from syswatch.options.suggestions import did_you_mean

_STDIN = "-"


def _run(arguments: Arguments) -> Diff:
    check_effects(arguments)
    before, after = map(engine.expanded, _sides(arguments))
    if (*before, *after).count(_STDIN) > 1:
        raise UsageError("diff: standard input ('-') can be read only once")
    output = reading.destination(arguments)
    checks.check_distinct_files(arguments, ["output"], (*before, *after))
    return Diff(
        before,
        after,
        only=_parts(arguments),
        threshold=_percent(arguments),
        all=arguments.has("all"),
        format=checks.choice(arguments, "format"),
        output=output,
        token=token(arguments, "http-token"),
        scheduler=engine.scheduler(arguments, (*before, *after)),
    )


def _sides(arguments: Arguments) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sources before and after; without `--` there is one on each side."""
    operands, split = arguments.operands, arguments.separator
    if split is None:
        split = 1
        if len(operands) > 2:  # noqa: PLR2004  before and after
            raise UsageError(
                "diff: with several runs on a side, '--' must separate the sides:"
                " BEFORE... -- AFTER..."
            )
    before, after = operands[:split], operands[split:]
    if not before:
        raise UsageError("diff: missing BEFORE, as in 'syswatch diff old.rec new.rec'")
    if not after:
        raise UsageError("diff: missing AFTER, as in 'syswatch diff old.rec new.rec'")
    checks.check_named("diff", operands, "a run")
    return before, after


def _parts(arguments: Arguments) -> tuple[str, ...]:
    """Return what to compare, by name; none stands for all."""
    names = [name for text in arguments.every("only") for name in text.split(",")]
    for name in names:
        if name not in ONLY:
            hint = f"{did_you_mean(name, ONLY)} (choose from {', '.join(ONLY)})"
            raise UsageError(f"--only: invalid value '{name}'{hint}")
    return tuple(dict.fromkeys(names))


def _percent(arguments: Arguments) -> float:
    text = arguments.value_or_default("threshold").removesuffix("%")
    if not _is_decimal(text.split(".")):
        raise UsageError(f"--threshold: invalid value '{text}' (expected a percentage such as 10)")
    return float(text)


def _is_decimal(parts: Sequence[str]) -> bool:
    # A number of many digits is not useful, and may not fit.
    return len(parts) <= 2 and all(  # noqa: PLR2004  before and after the point
        part.isascii() and part.isdigit() and len(part) <= 9  # noqa: PLR2004
        for part in parts
    )


COMMAND = Command(
    "diff",
    "Show what changed between runs",
    "[OPTION...] BEFORE AFTER | BEFORE... -- AFTER...",
    "BEFORE and AFTER are recordings made with --record, logs written by strace, summaries written"
    " with --format json, or URLs of running servers; '-' is standard input.  They need not be of"
    " the same kind.\n\n"
    "Names that differ with each run, such as PIDs and temporary files, count as the same.  Several"
    " runs on a side show how much the numbers vary by themselves, and only larger changes are"
    " reported.\n\n"
    "Exit status: 0 if nothing changed, 1 if something did, 2 if an input cannot be read.",
    (
        Example("syswatch diff old.rec new.rec", "compare two recordings"),
        Example("syswatch diff old1 old2 old3 -- new1 new2", "compare several runs"),
        Example("syswatch diff slow:8080 fast:8080", "compare two hosts"),
        Example("syswatch diff --format html -o diff.html old new", "write a page"),
    ),
    (
        Option(
            "only",
            "Compare only this, separated by commas",
            Group.FILTER,
            metavar="WHAT",
            choices=tuple(ONLY),
            repeatable=True,
        ),
        Option(
            "threshold",
            "Report only changes of at least this many percent",
            Group.FILTER,
            metavar="PERCENT",
            default="0",
        ),
        Option(
            "format",
            "Format of the result",
            Group.OUTPUT,
            metavar="FORMAT",
            choices=tuple(FORMATS),
            default="text",
        ),
        Option(
            "all",
            "List every number that changed in text and Markdown, also what belongs to others",
            Group.OUTPUT,
        ),
        reading.OUTPUT,
        engine.OPTION,
        *PRESENTED_TOKEN,
        *GENERAL,
    ),
    _run,
    Value.FILE,
    options_anywhere=True,
)
