"""Tests with a kernel that does not measure how long a thread is ready (CONFIG_SCHED_INFO)."""

import ctypes
import os
from pathlib import Path

from syswatch.tracer.ebpf import relocation, relocation_cache
from tests.tracer.programs import program

from .case import EbpfCase

_TYPES = Path("/sys/kernel/btf/vmlinux")
_MS = 1_000_000


class _OpenOptions(ctypes.Structure):
    """The beginning of struct bpf_object_open_opts."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("object_name", ctypes.c_char_p),
        ("relaxed_maps", ctypes.c_bool),
        ("pin_root_path", ctypes.c_char_p),
        ("padding", ctypes.c_uint32),
        ("kconfig", ctypes.c_char_p),
        ("btf_custom_path", ctypes.c_char_p),
    )


class WithoutDelayTests(EbpfCase):
    """The program is adapted to other types of the kernel, in which the field is missing."""

    def setUp(self) -> None:
        """Rename the field in a copy of the kernel's types."""
        super().setUp()
        data = _TYPES.read_bytes()
        self.assertEqual(1, data.count(b"\0sched_info\0"))
        types = Path(self.mktemp()).absolute()
        types.write_bytes(data.replace(b"\0sched_info\0", b"\0other_info\0"))
        options = _OpenOptions(size=ctypes.sizeof(_OpenOptions), btf_custom_path=os.fsencode(types))

        libbpf = relocation._handler().libbpf
        opened = libbpf.bpf_object__open_file
        self.patch(
            libbpf,
            "bpf_object__open_file",
            lambda path, _: opened(path, ctypes.byref(options)),
        )
        self.patch(relocation_cache, "find", lambda _: (relocation.relocate(), None))

    def test_waits(self) -> None:
        """The waits are there; the time ready is part of them, and they are called estimates."""
        delta = self.watch(f"{program('waiting')} >/dev/null")
        waits = delta.calls["recvfrom"].waits
        self.assertEqual(20, waits.count)
        self.assertGreaterEqual(waits.waiting_ns, 20 * 4 * _MS)
        self.assertEqual(0, waits.ready_ns)
        waited = [row.waits for row in delta.activity.values()]
        self.assertEqual(sum(waited), delta.ledger.estimated_waits)
        self.assertGreaterEqual(sum(waited), 20)
        self.assertEqual((2000, 0), (delta.calls["getppid"].count, delta.ledger.lost_events))
