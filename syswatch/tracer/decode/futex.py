"""futex: its operation, and its arguments, which depend on the operation."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration

from .numbers import hexadecimal, unsigned_32
from .traced_call import Printers, TracedCall, address_text

_OPERATION = enumeration(
    "FUTEX_???",
    """
    FUTEX_WAIT FUTEX_WAKE FUTEX_FD FUTEX_REQUEUE FUTEX_CMP_REQUEUE FUTEX_WAKE_OP FUTEX_LOCK_PI
    FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAIT_BITSET FUTEX_WAKE_BITSET FUTEX_WAIT_REQUEUE_PI
    FUTEX_CMP_REQUEUE_PI FUTEX_LOCK_PI2
    """,
)
_FD = _OPERATION["FUTEX_FD"]
_PRIVATE_FLAG, _CLOCK_REALTIME = 0x80, 0x100
_OPERATION_BITS = 0x7F
# For each operation the arguments after it, named as in `futex`.
_ARGUMENTS = _OPERATION.by_number(
    {
        "FUTEX_WAIT": "val timeout",
        "FUTEX_WAKE FUTEX_FD": "val",
        "FUTEX_REQUEUE": "val val2 uaddr2",
        "FUTEX_CMP_REQUEUE FUTEX_CMP_REQUEUE_PI": "val val2 uaddr2 val3",
        "FUTEX_WAKE_OP": "val val2 uaddr2 wake_op",
        "FUTEX_LOCK_PI FUTEX_LOCK_PI2": "timeout",
        "FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI": "",
        "FUTEX_WAIT_BITSET": "val timeout bitset",
        "FUTEX_WAKE_BITSET": "val bitset",
        "FUTEX_WAIT_REQUEUE_PI": "val timeout uaddr2",
    }
)
_UNKNOWN = "val timeout_address uaddr2 bitset"
_BITSET_MATCH_ANY = 0xFFFFFFFF
_WAKE_OPERATIONS = ("SET", "ADD", "OR", "ANDN", "XOR")
_WAKE_COMPARISONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def _operation(value: int) -> str:
    value = unsigned_32(value)
    operation = value & ~(_PRIVATE_FLAG | _CLOCK_REALTIME)
    name, private = _OPERATION.name(operation), bool(value & _PRIVATE_FLAG)
    if name is None or (private and operation == _FD):
        return f"{value:#x} /* FUTEX_??? */"
    realtime = "|FUTEX_CLOCK_REALTIME" if value & _CLOCK_REALTIME else ""
    return f"{name}{'_PRIVATE' if private else ''}{realtime}"


def futex(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the arguments that the operation takes."""
    operation = call.argument(1) & _OPERATION_BITS
    address, name, val, timeout, uaddr2, _ = texts
    val3 = call.unsigned_int(5)
    shown = {
        "val": val,
        "timeout": timeout,
        "timeout_address": address_text(call.argument(3)),
        "val2": str(call.unsigned_int(3)),
        "uaddr2": uaddr2,
        "val3": str(val3),
        "bitset": _bitset(val3),
        "wake_op": _wake_operation(val3),
    }
    arguments = _ARGUMENTS.get(operation, _UNKNOWN)
    return [address, name, *(shown[argument] for argument in arguments.split())]


def _bitset(value: int) -> str:
    return "FUTEX_BITSET_MATCH_ANY" if value == _BITSET_MATCH_ANY else hexadecimal(value)


def _wake_operation(value: int) -> str:
    """Return the operation and the comparison that FUTEX_OP packs into one number."""
    shift = "FUTEX_OP_OPARG_SHIFT<<28|" if value >> 31 else ""
    operation = _name("FUTEX_OP_", _WAKE_OPERATIONS, value >> 28 & 7)
    comparison = _name("FUTEX_OP_CMP_", _WAKE_COMPARISONS, value >> 24 & 15)
    argument = hexadecimal(value >> 12 & 0xFFF)
    return f"{shift}{operation}<<28|{argument}<<12|{comparison}<<24|{hexadecimal(value & 0xFFF)}"


def _name(prefix: str, names: tuple[str, ...], number: int) -> str:
    return prefix + names[number] if number < len(names) else f"{number:#x} /* {prefix}??? */"


PRINTERS = Printers(
    numbers={Kind.FUTEX_OP: _operation},
)
