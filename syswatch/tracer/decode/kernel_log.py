"""syslog, which reads and controls the log of the kernel."""

from syswatch.model.symbols import enumeration

from .numbers import signed_32
from .strings import buffer_text
from .traced_call import TracedCall, UnreadableError, address_text

_ACTION = enumeration(
    "SYSLOG_ACTION_???",
    """
    SYSLOG_ACTION_CLOSE SYSLOG_ACTION_OPEN SYSLOG_ACTION_READ SYSLOG_ACTION_READ_ALL
    SYSLOG_ACTION_READ_CLEAR SYSLOG_ACTION_CLEAR SYSLOG_ACTION_CONSOLE_OFF
    SYSLOG_ACTION_CONSOLE_ON SYSLOG_ACTION_CONSOLE_LEVEL SYSLOG_ACTION_SIZE_UNREAD
    SYSLOG_ACTION_SIZE_BUFFER
    """,
)
_LEVEL = enumeration(
    "LOGLEVEL_???",
    """
    LOGLEVEL_EMERG LOGLEVEL_ALERT LOGLEVEL_CRIT LOGLEVEL_ERR LOGLEVEL_WARNING LOGLEVEL_NOTICE
    LOGLEVEL_INFO LOGLEVEL_DEBUG
    """,
)
_READS = _ACTION.numbers("SYSLOG_ACTION_READ SYSLOG_ACTION_READ_ALL SYSLOG_ACTION_READ_CLEAR")
_NO_ARGUMENT = _ACTION.numbers(
    """
    SYSLOG_ACTION_CLOSE SYSLOG_ACTION_OPEN SYSLOG_ACTION_CLEAR SYSLOG_ACTION_CONSOLE_OFF
    SYSLOG_ACTION_CONSOLE_ON SYSLOG_ACTION_SIZE_UNREAD SYSLOG_ACTION_SIZE_BUFFER
    """
)
_CONSOLE_LEVEL = _ACTION["SYSLOG_ACTION_CONSOLE_LEVEL"]


def syslog(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the arguments that the action takes."""
    action, address = signed_32(call.argument(0)), call.argument(1)
    shown = f"{action} /* {_ACTION.name(action) or 'SYSLOG_ACTION_???'} */"
    if action in _NO_ARGUMENT:
        return [shown]
    if action == _CONSOLE_LEVEL:
        level = signed_32(call.argument(2))
        name = _LEVEL.name(level) or "LOGLEVEL_???"
        return [shown, texts[1], f"{level} /* {name} */"]
    if action in _READS and not call.failed and address:
        try:
            return [shown, buffer_text(call, address, call.ret), texts[2]]
        except UnreadableError:
            return [shown, address_text(address), texts[2]]
    return [shown, *texts[1:]]
