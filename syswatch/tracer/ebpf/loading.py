"""Loading the program for a trace, which takes most of the time until the trace begins."""

from importlib import import_module

from syswatch.model.filters import traced_names
from syswatch.model.messages import TraceOptions
from syswatch.tracer.naming import machine

from .calls import settings_of
from .program import Program
from .scope import NamedProcesses, Scope

_NAMED = NamedProcesses()
# What is needed as soon as the program is loaded; it takes as long to import.
_NEXT = (f"{__package__}.trace", "syswatch.codec.frames")


def load(options: TraceOptions, scope: Scope = _NAMED, *, records: bool = False) -> Program:
    """Load the program and set it up; it observes nothing yet."""
    names = traced_names(options.trace, machine())
    settings = settings_of(options, names, scope.number, records=records)
    program = Program.load(settings, _import_next)
    # This makes the tracer known to the program, which has no process to find yet.
    program.scan()
    scope.confine(program)
    program.select_paths(options.paths)
    return program


def _import_next() -> None:
    for name in _NEXT:
        import_module(name)
