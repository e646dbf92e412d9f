"""Names of socket options; each protocol level has its own."""

from syswatch.model.argument_names import SOCKET_OPTIONS
from syswatch.model.catalog import ArgumentKind as Kind

from .traced_call import Printers, TracedCall


def _option(call: TracedCall, index: int) -> str:
    names = SOCKET_OPTIONS.get(call.unsigned_int(index - 1))
    value = call.unsigned_int(index)
    return names(value) if names else str(value)


PRINTERS = Printers(
    registers={Kind.SOCKOPT_NAME: _option},
)
