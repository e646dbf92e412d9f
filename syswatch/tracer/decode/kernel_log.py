"""The log of the kernel."""

from .numbers import signed_32
from .strings import buffer_text
from .symbols import enumeration
from .traced_call import TracedCall, UnreadableError, address_text

_ACTIONS = enumeration(
    "SYSLOG_ACTION_???",
    """
    SYSLOG_ACTION_CLOSE SYSLOG_ACTION_OPEN SYSLOG_ACTION_READ SYSLOG_ACTION_READ_ALL
    SYSLOG_ACTION_READ_CLEAR SYSLOG_ACTION_CLEAR SYSLOG_ACTION_CONSOLE_OFF
    SYSLOG_ACTION_CONSOLE_ON SYSLOG_ACTION_CONSOLE_LEVEL SYSLOG_ACTION_SIZE_UNREAD
    SYSLOG_ACTION_SIZE_BUFFER
    """,
)
_LEVELS = enumeration(
    "LOGLEVEL_???",
    """
    LOGLEVEL_EMERG LOGLEVEL_ALERT LOGLEVEL_CRIT LOGLEVEL_ERR LOGLEVEL_WARNING LOGLEVEL_NOTICE
    LOGLEVEL_INFO LOGLEVEL_DEBUG
    """,
)
_READS = frozenset({2, 3, 4})
_ALONE = frozenset({0, 1, 5, 6, 7, 9, 10})
_SETS_LEVEL = 8


def syslog(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter what the action takes."""
    action, address = signed_32(call.argument(0)), call.argument(1)
    shown = f"{action} /* {_ACTIONS.name(action) or 'SYSLOG_ACTION_???'} */"
    if action in _ALONE:
        return [shown]
    if action == _SETS_LEVEL:
        level = signed_32(call.argument(2))
        name = _LEVELS.name(level) or "LOGLEVEL_???"
        return [shown, texts[1], f"{level} /* {name} */"]
    if action in _READS and not call.failed and address:
        try:
            return [shown, buffer_text(call, address, call.ret), texts[2]]
        except UnreadableError:
            return [shown, address_text(address), texts[2]]
    return [shown, *texts[1:]]
