"""`syswatch check`: what is done with the runs once they are known."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import join
from typing import Final

from syswatch.app.interruption import end_on_signals
from syswatch.app.output_file import Output
from syswatch.base.classes import frozen
from syswatch.base.streams import print_message
from syswatch.base.text import escape_text
from syswatch.checking.budget import Budget
from syswatch.checking.evaluation import evaluate
from syswatch.checking.finding import nearest_budget
from syswatch.checking.formats import FORMATS
from syswatch.checking.github import annotations, append_summary
from syswatch.checking.missing import Missing
from syswatch.checking.observed import observe
from syswatch.checking.places import BUDGET, PYPROJECT
from syswatch.checking.reading import BudgetError, read_budget
from syswatch.checking.result import Command, Result
from syswatch.checking.writing import written_budget
from syswatch.comparison.run import Run
from syswatch.comparison.sources import SourceError, is_url, read, read_all
from syswatch.model.messages import RunCommand
from syswatch.options.checks import identity_of
from syswatch.options.config import Check
from syswatch.service.atomic_write import write_atomically

UNCHECKED: Final = 2
_STDERR: Final = 2


@frozen
class Prepared:
    """A budget that has been read, and the runs that nothing may be new to."""

    check: Check
    # None if a budget is written.
    budget: Budget | None = None
    baselines: Sequence[Run] = ()


def prepare(check: Check) -> Prepared | None:
    """Read what is needed before anything is run; announce an error and return None."""
    if check.writes:
        return Prepared(check)
    try:
        budget = read_budget(check.budget or _nearest())
        _check_outputs(check, budget)
        return Prepared(check, budget, read_all(budget.baselines, check.token))
    except (BudgetError, SourceError) as error:
        print_message(str(error))
        return None


def _check_outputs(check: Check, budget: Budget) -> None:
    """Raise BudgetError if a result would overwrite the budget that was found, or a baseline."""
    files = (str(budget.file), *(each for each in budget.baselines if not is_url(each)))
    read = set(map(identity_of, files)) - {None}
    outputs = {f"--{form}": name for form, name in check.files.items()}
    if check.output != "-":
        outputs["-o"] = check.output
    for label, file in outputs.items():
        if identity_of(file) in read:
            raise BudgetError(f"{label}: {file} is an input and would be overwritten")


def _nearest() -> Path:
    try:
        here = Path.cwd()
    except OSError as error:
        raise BudgetError(f"check: no budget: the current directory: {error.strerror}") from error
    found = nearest_budget(here)
    if found is None:
        raise BudgetError(
            f"check: no budget: there is no {BUDGET} and no [tool.syswatch] in a {PYPROJECT}, here"
            " or above (--write makes one, --budget FILE names one)"
        )
    # As it would be typed.
    return Path(os.path.relpath(found))


def run(check: Check) -> int:
    """Check runs that exist; return the exit status."""
    end_on_signals()
    prepared = prepare(check)
    if prepared is None:
        return UNCHECKED
    try:
        runs = [read(source, check.token) for source in check.sources]
    except SourceError as error:
        print_message(str(error))
        return UNCHECKED
    return conclude(prepared, runs)


def conclude(prepared: Prepared, runs: Sequence[Run], command: Command | None = None) -> int:
    """Write the budget, or the result of checking the only run; return the exit status."""
    check = prepared.check
    try:
        if prepared.budget is None:
            return _write_budget(check, runs)
        result = evaluate(prepared.budget, observe(runs[0]), prepared.baselines, command)
        _write_result(check, result)
        _tell_github(result)
    except OSError as error:
        print_message(f"{error.filename or check.output}: {error.strerror}")
        return UNCHECKED
    return result.status


def name_of(check: Check) -> str:
    """Return the command line, or the sources, for people."""
    if check.traced is not None and isinstance(check.traced.job, RunCommand):
        return escape_text(join(check.traced.job.argv))
    return escape_text(join(check.sources))


def _words_of(check: Check) -> str:
    """Return the words after `syswatch check` that check the same."""
    if check.traced is not None:
        return f"-- {name_of(check)}"
    option = "--url" if is_url(check.sources[0]) else "--recording"
    return f"{option} {name_of(check)}"


def _write_budget(check: Check, runs: Sequence[Run]) -> int:
    what, file = name_of(check), str(check.budget or BUDGET)
    text = written_budget([observe(each) for each in runs], _words_of(check))
    # A budget belongs to the sources of a program: there is nothing secret in it.
    write_atomically(file, text, 0o666)
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    print_message(f"wrote {file} from {count} of {what}")
    for each in runs:
        if reason := Missing(each).reason():
            print_message(f"the limits may be too low: {reason}")
    return 0


def _write_result(check: Check, result: Result) -> None:
    text = FORMATS[check.format](result)
    if check.output == "-" and check.traced is not None:
        # Standard output is that of the command.
        with suppress(OSError):
            _write_stderr(text)
    else:
        with suppress(BrokenPipeError), Output(check.output) as out:
            out.write(text.encode())
    for form, name in check.files.items():
        with Output(name) as out:
            out.write(FORMATS[form](result).encode())


def _tell_github(result: Result) -> None:
    """Annotate the budget and add to the summary of the job, if this is a job of GitHub."""
    if not os.environ.get("GITHUB_ACTIONS"):
        return
    workspace = os.environ.get("GITHUB_WORKSPACE") or Path.cwd()
    # On stderr in any case: standard output may be a document.
    with suppress(OSError):
        _write_stderr("".join(f"{line}\n" for line in annotations(result, Path(workspace))))
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        append_summary(result, Path(summary))


def _write_stderr(text: str) -> None:
    encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
    rest = memoryview(text.encode(encoding, "backslashreplace"))
    while rest:
        rest = rest[os.write(_STDERR, rest) :]
