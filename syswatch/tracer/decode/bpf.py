"""bpf: the fields of `union bpf_attr`, which depend on the command."""

from collections.abc import Callable, Mapping

from syswatch.base.classes import frozen
from syswatch.model.argument_names import BPF_COMMAND
from syswatch.model.catalog import ArgumentKind as Kind

from .descriptors import descriptor
from .names_bpf import (
    ATTACH_FLAGS,
    ATTACH_TYPE,
    ELEMENT_FLAGS,
    LOOKUP_FLAGS,
    MAP_FLAGS,
    MAP_TYPE,
    OPEN_FLAGS,
    PROGRAM_FLAGS,
    PROGRAM_TYPE,
)
from .quoting import quoted
from .strings import path_text, string_text
from .traced_call import (
    Printers,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
)

_MOST_READ = 4096

# Formats the number in a field.
FieldText = Callable[[TracedCall, int], str]


@frozen
class Field:
    """A field: its name, its offset and size in bytes, and its printer."""

    name: str
    offset: int
    size: int
    text: FieldText
    # The least size of the attributes with which the field is printed.
    since: int = 0


def _plain(text: Callable[[int], str]) -> FieldText:
    return lambda _call, value: text(value)


def _pointer(show: Callable[[TracedCall, int], str]) -> FieldText:
    def text(call: TracedCall, address: int) -> str:
        if not address:
            return "NULL"
        try:
            return show(call, address)
        except UnreadableError:
            return f"{address:#x}"

    return text


def _version(value: int) -> str:
    return f"KERNEL_VERSION({value >> 16}, {value >> 8 & 0xFF}, {value & 0xFF})"


def _name(_call: TracedCall, value: int) -> str:
    return quoted(value.to_bytes(_BPF_OBJ_NAME_LEN, "little").partition(b"\0")[0])


_BPF_OBJ_NAME_LEN = 16
_NUMBER, _ADDRESS = _plain(str), _plain(address_text)
_PATH, _TEXT = _pointer(path_text), _pointer(string_text)
_MAP = Field("map_fd", 0, 4, descriptor)
_KEY = Field("key", 8, 8, _ADDRESS)
_VALUE = Field("value", 16, 8, _ADDRESS)
_FILE = (
    Field("pathname", 0, 8, _PATH),
    Field("bpf_fd", 8, 4, descriptor),
    Field("file_flags", 12, 4, _plain(OPEN_FLAGS), since=13),
)
_NEXT = (
    Field("next_id", 4, 4, _NUMBER),
    Field("open_flags", 8, 4, _plain(OPEN_FLAGS), since=9),
)
_MAP_FLAGS = Field("map_flags", 16, 4, _plain(MAP_FLAGS), since=17)
_NUMA_NODE = Field("numa_node", 24, 4, _NUMBER, since=25)
_CREATE = (
    Field("map_type", 0, 4, _plain(MAP_TYPE)),
    Field("key_size", 4, 4, _NUMBER),
    Field("value_size", 8, 4, _NUMBER),
    Field("max_entries", 12, 4, _NUMBER),
    _MAP_FLAGS,
    Field("inner_map_fd", 20, 4, descriptor, since=21),
    _NUMA_NODE,
    Field("map_name", 28, _BPF_OBJ_NAME_LEN, _name, since=29),
    Field("map_ifindex", 44, 4, _NUMBER, since=45),
    Field("btf_fd", 48, 4, descriptor, since=49),
    Field("btf_key_type_id", 52, 4, _NUMBER, since=53),
    Field("btf_value_type_id", 56, 4, _NUMBER, since=57),
    Field("btf_vmlinux_value_type_id", 60, 4, _NUMBER, since=61),
    Field("map_extra", 64, 8, _NUMBER, since=65),
)
_LOAD = (
    Field("prog_type", 0, 4, _plain(PROGRAM_TYPE)),
    Field("insn_cnt", 4, 4, _NUMBER),
    Field("insns", 8, 8, _ADDRESS),
    Field("license", 16, 8, _TEXT),
    Field("log_level", 24, 4, _NUMBER, since=25),
    Field("log_size", 28, 4, _NUMBER, since=25),
    Field("log_buf", 32, 8, _TEXT, since=25),
    Field("kern_version", 40, 4, _plain(_version), since=41),
    Field("prog_flags", 44, 4, _plain(PROGRAM_FLAGS), since=45),
    Field("prog_name", 48, _BPF_OBJ_NAME_LEN, _name, since=49),
    Field("prog_ifindex", 64, 4, _NUMBER, since=65),
    Field("expected_attach_type", 68, 4, _plain(ATTACH_TYPE), since=69),
    Field("prog_btf_fd", 72, 4, descriptor, since=73),
    Field("func_info_rec_size", 76, 4, _NUMBER, since=73),
    Field("func_info", 80, 8, _ADDRESS, since=73),
    Field("func_info_cnt", 88, 4, _NUMBER, since=73),
    Field("line_info_rec_size", 92, 4, _NUMBER, since=73),
    Field("line_info", 96, 8, _ADDRESS, since=73),
    Field("line_info_cnt", 104, 4, _NUMBER, since=73),
    Field("attach_btf_id", 108, 4, _NUMBER, since=109),
    Field("attach_prog_fd", 112, 4, descriptor, since=113),
    Field("fd_array", 120, 8, _ADDRESS, since=121),
)
_TARGET = Field("target_fd", 0, 4, descriptor)
_ATTACHED = Field("attach_bpf_fd", 4, 4, descriptor)
_ATTACH_TYPE = Field("attach_type", 8, 4, _plain(ATTACH_TYPE))
_ATTACH_OPTIONS = (
    Field("attach_flags", 12, 4, _plain(ATTACH_FLAGS)),
    Field("replace_bpf_fd", 16, 4, descriptor, since=17),
)
_INFO = (
    Field("bpf_fd", 0, 4, descriptor),
    Field("info_len", 4, 4, _NUMBER),
    Field("info", 8, 8, _ADDRESS),
)
_COMMANDS: Mapping[int, tuple[Field, ...]] = BPF_COMMAND.by_number(
    {
        "BPF_MAP_CREATE": _CREATE,
        "BPF_MAP_LOOKUP_ELEM": (
            *(_MAP, _KEY, _VALUE),
            Field("flags", 24, 8, _plain(LOOKUP_FLAGS), since=25),
        ),
        "BPF_MAP_UPDATE_ELEM": (
            *(_MAP, _KEY, _VALUE),
            Field("flags", 24, 8, _plain(ELEMENT_FLAGS)),
        ),
        "BPF_MAP_DELETE_ELEM": (_MAP, _KEY),
        "BPF_MAP_GET_NEXT_KEY": (_MAP, _KEY, Field("next_key", 16, 8, _ADDRESS)),
        "BPF_MAP_FREEZE": (_MAP,),
        "BPF_PROG_LOAD": _LOAD,
        "BPF_OBJ_PIN BPF_OBJ_GET": _FILE,
        "BPF_PROG_ATTACH": (_TARGET, _ATTACHED, _ATTACH_TYPE, *_ATTACH_OPTIONS),
        "BPF_PROG_DETACH": (_TARGET, _ATTACH_TYPE),
        """
        BPF_PROG_GET_NEXT_ID BPF_MAP_GET_NEXT_ID BPF_BTF_GET_NEXT_ID BPF_LINK_GET_NEXT_ID
        """: (Field("start_id", 0, 4, _NUMBER), *_NEXT),
        "BPF_PROG_GET_FD_BY_ID": (Field("prog_id", 0, 4, _NUMBER), *_NEXT),
        "BPF_MAP_GET_FD_BY_ID": (Field("map_id", 0, 4, _NUMBER), *_NEXT),
        "BPF_BTF_GET_FD_BY_ID": (Field("btf_id", 0, 4, _NUMBER),),
        "BPF_LINK_GET_FD_BY_ID": (Field("link_id", 0, 4, _NUMBER),),
        "BPF_OBJ_GET_INFO_BY_FD": _INFO,
        "BPF_RAW_TRACEPOINT_OPEN": (
            Field("name", 0, 8, _TEXT),
            Field("prog_fd", 8, 4, descriptor),
        ),
    }
)
# The fields of these commands are in a structure of their own.
_NESTED = BPF_COMMAND.by_number(
    {"BPF_OBJ_GET_INFO_BY_FD": "info", "BPF_RAW_TRACEPOINT_OPEN": "raw_tracepoint"}
)


def _attributes(call: TracedCall, index: int, address: int) -> str:
    command = call.unsigned_int(index - 1)
    size = call.unsigned_int(index + 1)
    fields = _COMMANDS.get(command)
    if fields is None or not 0 < size <= _MOST_READ:
        raise UnreadableError
    data = call.read(address, size)
    present = [field for field in fields if size >= field.since]
    text = ", ".join(
        f"{field.name}={field.text(call, _value(field, data))}"
        for field in present
        if _applies(field, data)
    )
    if command in _NESTED:
        text = f"{_NESTED[command]}={{{text}}}"
    known = max(field.offset + field.size for field in present)
    return f"{{{text}, ...}}" if any(data[known:]) else f"{{{text}}}"


def _applies(field: Field, data: bytes) -> bool:
    return field is not _NUMA_NODE or bool(_value(_MAP_FLAGS, data) & MAP_FLAGS["BPF_F_NUMA_NODE"])


def _value(field: Field, data: bytes) -> int:
    # Missing bytes are zero, as they are for the kernel.
    return int.from_bytes(data[field.offset : field.offset + field.size], "little")


PRINTERS = Printers(
    numbers={Kind.BPF_COMMAND: BPF_COMMAND},
    at_entry={Kind.BPF_ATTRIBUTES_IN: follow(_attributes)},
)
