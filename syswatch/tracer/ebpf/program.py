"""The program in the kernel and its maps; both are released when this process ends."""

import ctypes
import errno
import mmap
import os
from collections.abc import Callable, Iterator
from functools import partial

import attrs

from syswatch.base.classes import define
from syswatch.machine.limits import describe, shortage_of_files

from . import activity_layout as activity
from . import descriptors, layout, relocation_cache
from . import group_layout as groups
from . import object_layout as objects
from .beside import run_beside
from .descriptors import Descriptors
from .libbpf import ITERATOR, EbpfError, Libbpf, ProgramInfo
from .maps import RECORDS, events_of_cpu
from .relocated import Relocated

# Open files for the maps, the programs, and what attaches these.  With fewer, the feature tests of
# libbpf fail, and its errors do not show what is wrong.
_FILES = 80
_BATCH = 1024
_NO_ENTRY = -errno.ENOENT
# Returned for the descriptor of a process that has ended.
_PROCESS_ENDED = (-errno.ENOENT, -errno.ESRCH)
_SCAN = "on_look"
# The first one if the kernel can load it.
_ENTERS = ("on_enter", "on_enter_old")
# The same, and if calls are only counted.
_EXITS = ("on_exit_counting", "on_exit")
_PREPARE = "on_prepare"
_SWITCH = "on_switch"
# In the order in which they are attached: a process that is created and ends in between must not be
# seen by the hook of fork alone, because its end would not be counted.
_HOOKS = (_SWITCH, "on_end", "on_exec", "on_rename", *_ENTERS, _PREPARE, *_EXITS, "on_fork")


@define
class Program:
    """The loaded program."""

    settings: layout.Settings
    cpus: int
    shards: int
    libbpf: Libbpf
    _descriptors: Descriptors
    # What keeps the programs attached.
    _links: list[int] = attrs.field(factory=list, init=False)
    totals: layout.Totals = attrs.field(init=False)
    catalog: layout.Catalog = attrs.field(init=False)
    # If groups are counted.
    group_counts: groups.GroupCounts = attrs.field(init=False)

    @classmethod
    def load(
        cls,
        settings: layout.Settings,
        describe: Callable[[layout.Catalog], object] = lambda _: None,
    ) -> "Program":
        """Load the program, and let a function describe calls; an EbpfError if that fails."""
        if why := shortage_of_files(_FILES):
            raise EbpfError(f"eBPF cannot be used: {why}.")
        libbpf = Libbpf()
        cpus = libbpf.checked(libbpf.libbpf_num_possible_cpus(), "count the processors")
        settings.cpus = cpus
        settings.records = RECORDS
        settings.events = min(settings.events, events_of_cpu(cpus))
        settings.shards = shards = min(cpus, 8)
        described = layout.Catalog()
        load = partial(_load, libbpf, settings)
        loaded = run_beside(load, partial(describe, described), Descriptors.close)
        program = cls(settings, cpus, shards, libbpf, loaded)
        try:
            catalog = program.mapped(".catalog", ctypes.sizeof(layout.Catalog))
            totals = program.mapped(".bss", ctypes.sizeof(layout.Totals))
        except BaseException:
            loaded.close()
            raise
        catalog[: ctypes.sizeof(described)] = bytes(described)
        program.catalog = layout.Catalog.from_buffer(catalog)
        program.totals = layout.Totals.from_buffer(totals)
        program.totals.unused = layout.FIRST_PROCESS
        program.totals.unused_threads = activity.FIRST_THREAD
        program.totals.unused_objects = objects.FIRST_OBJECT
        program.totals.unused_activities = activity.FIRST_ACTIVITY
        if settings.groups:
            # Before the program is attached: calls are counted long before anything reads them.
            program.group_counts = counts = groups.GroupCounts.from_buffer(
                program.mapped("group_counts", ctypes.sizeof(groups.GroupCounts))
            )
            counts.unused_groups = groups.OTHER_GROUPS + 1
            counts.unused_rows = program.first_group_row
            # A task without a group yet has that of generation 0.
            counts.generation = 1
        return program

    @property
    def first_group_row(self) -> int:
        """The first row that no group has from the start."""
        return layout.ROWS + int(self.settings.most_groups)

    def fd(self, name: str) -> int:
        """Return the descriptor of a map."""
        return self._descriptors.maps[name]

    def mapped(self, name: str, size: int) -> mmap.mmap:
        """Map the beginning of a map, which can be read without system calls then."""
        return self.mapped_part(name, 0, size, is_writable=True)

    def mapped_part(self, name: str, at: int, size: int, *, is_writable: bool = False) -> mmap.mmap:
        """Map a part of a map that begins with a page."""
        page = mmap.PAGESIZE
        access = mmap.PROT_READ | mmap.PROT_WRITE * is_writable
        try:
            return mmap.mmap(
                self.fd(name), (size + page - 1) // page * page, prot=access, offset=at
            )
        except OSError as error:
            why = describe(error)
            raise EbpfError(f"eBPF cannot be used: a map cannot be read: {why}.") from error

    def attach(self) -> None:
        """Attach the program; from now on each system call of the machine takes longer."""
        for name in _HOOKS:
            if name in self._descriptors.programs:
                descriptor = self._descriptors.programs[name]
                link = self.libbpf.bpf_raw_tracepoint_open(None, descriptor)
                self._links.append(self.libbpf.checked(link, "attach the program"))

    def detach(self) -> None:
        """Detach the program; the maps stay."""
        # In reverse order: what ends a call must not outlive what times it.
        while self._links:
            os.close(self._links.pop())

    def close(self) -> None:
        """Release the program and its maps."""
        self.detach()
        self._descriptors.close()

    def follow(self, pidfd: int, record: int, flags: int) -> None:
        """Follow a process; `scan` counts it."""
        key, task = ctypes.c_int(pidfd), activity.Task(process=record, flags=flags)
        result = self.libbpf.bpf_map_update_elem(
            self.fd("tasks"), ctypes.byref(key), ctypes.byref(task), 0
        )
        if result in _PROCESS_ENDED:
            raise ProcessLookupError(-result, "the process has ended")
        self.libbpf.checked(result, "follow a process")

    def scan(self) -> None:
        """Follow all threads and descendants of followed processes, until there are no new ones."""
        before = -1
        while self.totals.taken_in != before:
            before = self.totals.taken_in
            self._iterate()

    def look(self) -> None:
        """Let the program publish what each followed thread does at this moment."""
        self.totals.looks = 1
        self._iterate()
        self.totals.looks = 0

    def show(self, descriptor: int) -> None:
        """Let the program select the file of a descriptor of this process."""
        self.totals.shown = descriptor
        self.scan()
        self.totals.shown = 0

    def end_calls(self) -> None:
        """Let the program count the evidence of calls in progress."""
        self.totals.ends = 1
        self._iterate()
        self.totals.ends = 0

    def _iterate(self) -> None:
        scan = self._descriptors.programs[_SCAN]
        link = self.libbpf.checked(
            self.libbpf.bpf_link_create(scan, 0, ITERATOR, None), "attach the program"
        )
        iterator = self.libbpf.checked(self.libbpf.bpf_iter_create(link), "iterate over all tasks")
        try:
            while os.read(iterator, 4096):
                pass
        finally:
            os.close(iterator)

    def free(self, stack: str, number: int) -> None:
        """Let the program reuse a record or a row, after it has been cleared."""
        value = ctypes.c_uint32(number)
        self.libbpf.bpf_map_update_elem(self.fd(stack), None, ctypes.byref(value), 0)

    def contents(self, name: str, key_size: int, value_size: int) -> tuple[bytes, bytes]:
        """Return all keys and all values of a table, read in batches."""
        libbpf, descriptor = self.libbpf, self.fd(name)
        keys = ctypes.create_string_buffer(key_size * _BATCH)
        values = ctypes.create_string_buffer(value_size * _BATCH)
        position, onward = ctypes.create_string_buffer(key_size), None
        found = ctypes.c_uint32()
        parts: list[tuple[bytes, bytes]] = []
        result = 0
        while result == 0:
            found.value = _BATCH
            result = libbpf.bpf_map_lookup_batch(
                descriptor, onward, position, keys, values, ctypes.byref(found), None
            )
            if result not in {0, _NO_ENTRY}:
                break
            onward = position
            parts.append(
                (
                    ctypes.string_at(keys, found.value * key_size),
                    ctypes.string_at(values, found.value * value_size),
                )
            )
        return b"".join(keys for keys, _ in parts), b"".join(values for _, values in parts)

    def delete(self, name: str, key: bytes) -> None:
        """Delete an entry of a table."""
        self.libbpf.bpf_map_delete_elem(self.fd(name), key)

    def confine(self, group: int) -> None:
        """Follow all processes in a control group, given by a descriptor of its directory."""
        key, value = ctypes.c_uint32(0), ctypes.c_uint32(group)
        self.libbpf.checked(
            self.libbpf.bpf_map_update_elem(
                self.fd("groups"), ctypes.byref(key), ctypes.byref(value), 0
            ),
            "follow a control group",
        )

    def misses(self) -> int:
        """Return how many events the programs missed because another one was running."""
        return sum(map(self._misses, self._descriptors.programs.values()))

    def _misses(self, descriptor: int) -> int:
        info = ProgramInfo()
        size = ctypes.c_uint32(ctypes.sizeof(info))
        self.libbpf.checked(
            self.libbpf.bpf_obj_get_info_by_fd(descriptor, ctypes.byref(info), ctypes.byref(size)),
            "read the number of missed events",
        )
        return int(info.recursion_misses)


def _load(libbpf: Libbpf, settings: layout.Settings) -> Descriptors:
    """Load the program from the cache; if the kernel refuses that, relocate it again."""
    relocated, path = relocation_cache.find(libbpf)
    try:
        return _load_relocated(libbpf, relocated, settings)
    except EbpfError:
        if path is None:
            raise
        return _load_relocated(libbpf, relocation_cache.relocate_again(path), settings)


def _load_relocated(libbpf: Libbpf, relocated: Relocated, settings: layout.Settings) -> Descriptors:
    needed = frozenset(_needed(relocated, settings))
    return descriptors.load(libbpf, relocated, settings, needed)


def _needed(relocated: Relocated, settings: layout.Settings) -> Iterator[str]:
    """Yield the programs that are needed with these settings."""
    known = relocated.programs
    # Descriptors are read at the entry, because close() invalidates them.
    reads_entry = settings.timed or settings.selects or settings.profile
    enter = next(name for name in _ENTERS if name in known)
    exit_ = next(name for name in _EXITS[not settings.only_counts :] if name in known)
    for name in known:
        if name in _ENTERS:
            is_needed = bool(reads_entry) and name == enter
        elif name in _EXITS:
            is_needed = name == exit_
        elif name == _SWITCH:
            is_needed = bool(settings.objects)
        elif name == _PREPARE:
            is_needed = bool(settings.samples and settings.reads)
        else:
            is_needed = True
        if is_needed:
            yield name
