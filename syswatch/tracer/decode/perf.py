"""perf_event_open: its attributes (`struct perf_event_attr`)."""

import struct
from collections.abc import Callable, Mapping

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags, table

from .numbers import hexadecimal
from .traced_call import Printers, TracedCall, UnreadableError, follow

_TYPE = enumeration(
    "PERF_TYPE_???",
    """
    PERF_TYPE_HARDWARE PERF_TYPE_SOFTWARE PERF_TYPE_TRACEPOINT PERF_TYPE_HW_CACHE PERF_TYPE_RAW
    PERF_TYPE_BREAKPOINT
    """,
)
_SIZE = enumeration(
    "PERF_ATTR_SIZE_???",
    """
    PERF_ATTR_SIZE_VER0=64 PERF_ATTR_SIZE_VER1=72 PERF_ATTR_SIZE_VER2=80 PERF_ATTR_SIZE_VER3=96
    PERF_ATTR_SIZE_VER4=104 PERF_ATTR_SIZE_VER5=112 PERF_ATTR_SIZE_VER6=120
    PERF_ATTR_SIZE_VER7=128
    """,
)
_HARDWARE = enumeration(
    "PERF_COUNT_HW_???",
    """
    PERF_COUNT_HW_CPU_CYCLES PERF_COUNT_HW_INSTRUCTIONS PERF_COUNT_HW_CACHE_REFERENCES
    PERF_COUNT_HW_CACHE_MISSES PERF_COUNT_HW_BRANCH_INSTRUCTIONS PERF_COUNT_HW_BRANCH_MISSES
    PERF_COUNT_HW_BUS_CYCLES PERF_COUNT_HW_STALLED_CYCLES_FRONTEND
    PERF_COUNT_HW_STALLED_CYCLES_BACKEND PERF_COUNT_HW_REF_CPU_CYCLES
    """,
)
_SOFTWARE = enumeration(
    "PERF_COUNT_SW_???",
    """
    PERF_COUNT_SW_CPU_CLOCK PERF_COUNT_SW_TASK_CLOCK PERF_COUNT_SW_PAGE_FAULTS
    PERF_COUNT_SW_CONTEXT_SWITCHES PERF_COUNT_SW_CPU_MIGRATIONS PERF_COUNT_SW_PAGE_FAULTS_MIN
    PERF_COUNT_SW_PAGE_FAULTS_MAJ PERF_COUNT_SW_ALIGNMENT_FAULTS PERF_COUNT_SW_EMULATION_FAULTS
    PERF_COUNT_SW_DUMMY PERF_COUNT_SW_BPF_OUTPUT PERF_COUNT_SW_CGROUP_SWITCHES
    """,
)
_CACHE = enumeration(
    "PERF_COUNT_HW_CACHE_???",
    """
    PERF_COUNT_HW_CACHE_L1D PERF_COUNT_HW_CACHE_L1I PERF_COUNT_HW_CACHE_LL
    PERF_COUNT_HW_CACHE_DTLB PERF_COUNT_HW_CACHE_ITLB PERF_COUNT_HW_CACHE_BPU
    PERF_COUNT_HW_CACHE_NODE
    """,
)
_CACHE_OPERATION = enumeration(
    "PERF_COUNT_HW_CACHE_OP_???",
    "PERF_COUNT_HW_CACHE_OP_READ PERF_COUNT_HW_CACHE_OP_WRITE PERF_COUNT_HW_CACHE_OP_PREFETCH",
)
_CACHE_RESULT = enumeration(
    "PERF_COUNT_HW_CACHE_RESULT_???",
    "PERF_COUNT_HW_CACHE_RESULT_ACCESS PERF_COUNT_HW_CACHE_RESULT_MISS",
)
_SAMPLE = flags(
    "PERF_SAMPLE_???",
    """
    PERF_SAMPLE_IP=1 PERF_SAMPLE_TID=2 PERF_SAMPLE_TIME=4 PERF_SAMPLE_ADDR=8 PERF_SAMPLE_READ=0x10
    PERF_SAMPLE_CALLCHAIN=0x20 PERF_SAMPLE_ID=0x40 PERF_SAMPLE_CPU=0x80 PERF_SAMPLE_PERIOD=0x100
    PERF_SAMPLE_STREAM_ID=0x200 PERF_SAMPLE_RAW=0x400 PERF_SAMPLE_BRANCH_STACK=0x800
    PERF_SAMPLE_REGS_USER=0x1000 PERF_SAMPLE_STACK_USER=0x2000 PERF_SAMPLE_WEIGHT=0x4000
    PERF_SAMPLE_DATA_SRC=0x8000 PERF_SAMPLE_IDENTIFIER=0x10000 PERF_SAMPLE_TRANSACTION=0x20000
    PERF_SAMPLE_REGS_INTR=0x40000 PERF_SAMPLE_PHYS_ADDR=0x80000 PERF_SAMPLE_AUX=0x100000
    PERF_SAMPLE_CGROUP=0x200000 PERF_SAMPLE_DATA_PAGE_SIZE=0x400000
    PERF_SAMPLE_CODE_PAGE_SIZE=0x800000 PERF_SAMPLE_WEIGHT_STRUCT=0x1000000
    """,
    bits=64,
)
_READ = flags(
    "PERF_FORMAT_???",
    """
    PERF_FORMAT_TOTAL_TIME_ENABLED=1 PERF_FORMAT_TOTAL_TIME_RUNNING=2 PERF_FORMAT_ID=4
    PERF_FORMAT_GROUP=8 PERF_FORMAT_LOST=0x10
    """,
    bits=64,
)
_ATTR = struct.Struct("<IIQQQQQ")
# The bit fields, by the number of their first bit; precise_ip has two bits, all others one.
_BIT_FIELDS = table(
    """
    disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm
    freq inherit_stat enable_on_exec task watermark precise_ip mmap_data=17 sample_id_all
    exclude_host exclude_guest exclude_callchain_kernel exclude_callchain_user mmap2 comm_exec
    use_clockid context_switch write_backward namespaces ksymbol bpf_event aux_output cgroup
    text_poke build_id inherit_thread remove_on_exec sigtrap
    """
)
_PRECISE_IP = (
    "arbitrary skid",
    "constant skid",
    "requested to have 0 skid",
    "must have 0 skid",
)
_FREQ = 1 << _BIT_FIELDS["freq"]


def _cache(config: int) -> str:
    rest, result, operation = config >> 24, config >> 16 & 0xFF, config >> 8 & 0xFF
    parts = [
        *([f"{rest:#x}<<24"] if rest else []),
        f"{_CACHE_RESULT(result)}<<16",
        f"{_CACHE_OPERATION(operation)}<<8",
        _CACHE(config & 0xFF),
    ]
    return "|".join(parts)


_CONFIG_PRINTERS: Mapping[int, Callable[[int], str]] = {
    _TYPE["PERF_TYPE_HARDWARE"]: _HARDWARE,
    _TYPE["PERF_TYPE_SOFTWARE"]: _SOFTWARE,
    _TYPE["PERF_TYPE_TRACEPOINT"]: str,
    _TYPE["PERF_TYPE_HW_CACHE"]: _cache,
}


def _attributes(call: TracedCall, _index: int, address: int) -> str:
    kind, size, config, period, sample, read_format, bits = call.unpack(_ATTR, address)
    if size and size < _ATTR.size:
        raise UnreadableError
    configuration = _CONFIG_PRINTERS.get(kind, hexadecimal)
    parts = [
        f"type={_TYPE(kind)}",
        f"size={_SIZE(size)}",
        f"config={configuration(config)}",
        f"sample_{'freq' if bits & _FREQ else 'period'}={period}",
        f"sample_type={_SAMPLE(sample)}",
        f"read_format={_READ(read_format)}",
        *_set_bits(bits),
        "...",
    ]
    return f"{{{', '.join(parts)}}}"


def _set_bits(bits: int) -> list[str]:
    parts = []
    for name, place in _BIT_FIELDS.items():
        if name == "precise_ip":
            precise = bits >> place & 3
            parts.append(f"precise_ip={precise} /* {_PRECISE_IP[precise]} */")
        elif bits >> place & 1:
            parts.append(f"{name}=1")
    return parts


PRINTERS = Printers(
    at_entry={Kind.PERF_ATTRIBUTES_IN: follow(_attributes)},
)
