"""Real programs: compilers, interpreters, a server."""

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import building, serving

from .case import PtraceCase


class TreeTests(PtraceCase, building.TreeContract):
    """Programs that start programs."""


class ServerTests(PtraceCase, serving.ServerContract):
    """nginx under load."""
