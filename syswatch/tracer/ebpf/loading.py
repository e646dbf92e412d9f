"""Loading the program for a trace, which takes most of the time until the trace begins."""

from functools import partial
from importlib import import_module

from syswatch.model.filters import traced_names
from syswatch.model.messages import TraceOptions
from syswatch.tracer.naming import machine

from .calls import settings_of
from .program import Program
from .scope import NamedProcesses, Scope

_NAMED = NamedProcesses()
_TRACE = f"{__package__}.trace"


def load(options: TraceOptions, scope: Scope = _NAMED, *, records: bool = False) -> Program:
    """Load the program and set it up; it observes nothing yet."""
    names = traced_names(options.trace, machine())
    settings = settings_of(options, names, scope.number, records=records)
    # What reads the maps takes half as long to import.
    program = Program.load(settings, partial(import_module, _TRACE))
    # This makes the tracer known to the program, which has no process to find yet.
    program.scan()
    scope.confine(program)
    program.select_paths(options.paths)
    return program
