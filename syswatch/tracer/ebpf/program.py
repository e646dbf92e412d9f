"""The program in the kernel and its maps; both are released when this process ends."""

import ctypes
import errno
import mmap
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import attrs

from syswatch.base.classes import define
from syswatch.machine.limits import describe, shortage_of_files

from . import activity_layout as activity
from . import layout
from . import object_layout as objects
from .libbpf import EbpfError, Libbpf, ProgramInfo, casts_pointers, observes_execve
from .maps import RECORDS, check_layout, events_of_cpu, sizes_of_maps

OBJECT = Path(__file__).with_name("kernel") / "syswatch.bpf.o"
# Open files for the maps and the programs.  With fewer, the feature tests of libbpf fail, and its
# errors do not show what is wrong.
_FILES = 64
_BATCH = 1024
_NO_ENTRY = -errno.ENOENT
# Returned for the descriptor of a process that has ended.
_PROCESS_ENDED = (-errno.ENOENT, -errno.ESRCH)
_SCAN = "on_look"
# The first one if the kernel knows the call that it contains.
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
    _object: int
    _maps: dict[str, int] = attrs.field(factory=dict, init=False)
    _links: list[int] = attrs.field(factory=list, init=False)
    _scan_iterator_link: int = attrs.field(default=0, init=False)
    totals: layout.Totals = attrs.field(init=False)
    catalog: layout.Catalog = attrs.field(init=False)

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
        opened = libbpf.checked_pointer(
            libbpf.bpf_object__open_file(os.fsencode(OBJECT), None), "read the program"
        )
        program = cls(settings, cpus, shards, libbpf, opened)
        described = layout.Catalog()
        try:
            program._prepare()
            libbpf.load(opened, partial(describe, described))
            catalog = program.mapped(".catalog", ctypes.sizeof(layout.Catalog))
            totals = program.mapped(".bss", ctypes.sizeof(layout.Totals))
        except BaseException:
            libbpf.bpf_object__close(opened)
            raise
        catalog[: ctypes.sizeof(described)] = bytes(described)
        program.catalog = layout.Catalog.from_buffer(catalog)
        program.totals = layout.Totals.from_buffer(totals)
        program.totals.unused = layout.FIRST_PROCESS
        program.totals.unused_threads = activity.FIRST_THREAD
        program.totals.unused_objects = objects.FIRST_OBJECT
        program.totals.unused_activities = activity.FIRST_ACTIVITY
        return program

    def fd(self, name: str) -> int:
        """Return the descriptor of a map."""
        return int(self.libbpf.bpf_map__fd(self._maps[name]))

    def mapped(self, name: str, size: int) -> mmap.mmap:
        """Map the memory of a map, which can be read without system calls then."""
        page = mmap.PAGESIZE
        try:
            return mmap.mmap(self.fd(name), (size + page - 1) // page * page)
        except OSError as error:
            why = describe(error)
            raise EbpfError(f"eBPF cannot be used: a map cannot be read: {why}.") from error

    def attach(self) -> None:
        """Attach the program; from now on each system call of the machine takes longer."""
        programs = dict(self._programs())
        for name in _HOOKS:
            if self._is_needed(name):
                link = self.libbpf.bpf_program__attach(programs[name])
                self._links.append(self.libbpf.checked_pointer(link, "attach the program"))

    def detach(self) -> None:
        """Detach the program; the maps stay."""
        # In reverse order: what ends a call must not outlive what times it.
        for link in (*reversed(self._links), self._scan_iterator_link):
            if link:
                self.libbpf.bpf_link__destroy(link)
        self._links, self._scan_iterator_link = [], 0

    def close(self) -> None:
        """Release the program and its maps."""
        self.detach()
        self.libbpf.bpf_object__close(self._object)

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
        iterator = self.libbpf.checked(
            self.libbpf.bpf_iter_create(self.libbpf.bpf_link__fd(self._scan_link())),
            "iterate over all tasks",
        )
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
        return sum(self._misses(program) for _, program in self._programs())

    def _misses(self, program: int) -> int:
        info = ProgramInfo()
        size = ctypes.c_uint32(ctypes.sizeof(info))
        descriptor = self.libbpf.bpf_program__fd(program)
        if descriptor < 0:  # Not loaded.
            return 0
        self.libbpf.checked(
            self.libbpf.bpf_obj_get_info_by_fd(descriptor, ctypes.byref(info), ctypes.byref(size)),
            "read the number of missed events",
        )
        return int(info.recursion_misses)

    def _scan_link(self) -> int:
        if not self._scan_iterator_link:
            self._scan_iterator_link = self.libbpf.checked_pointer(
                self.libbpf.bpf_program__attach_iter(dict(self._programs())[_SCAN], None),
                "attach the program",
            )
        return self._scan_iterator_link

    def _programs(self) -> Iterator[tuple[str, int]]:
        program = self.libbpf.bpf_object__next_program(self._object, None)
        while program:
            yield self.libbpf.bpf_program__name(program).decode(), program
            program = self.libbpf.bpf_object__next_program(self._object, program)

    def _is_needed(self, name: str) -> bool:
        """Return whether a program is needed with these settings."""
        if name in _ENTERS:
            # Descriptors are read at the entry, because close() invalidates them.
            needed = self.settings.timed or self.settings.selects or self.settings.profile
            return bool(needed) and name == _ENTERS[not casts_pointers()]
        if name in _EXITS:
            return name == _EXITS[not (self.settings.only_counts and casts_pointers())]
        if name == _SWITCH:
            return bool(self.settings.objects)
        if name == _PREPARE:
            return bool(self.settings.samples and self.settings.reads) and observes_execve()
        return True

    def _prepare(self) -> None:
        each = self.libbpf.bpf_object__next_map(self._object, None)
        while each:
            name = self.libbpf.bpf_map__name(each).decode()
            # The names of compiler-generated maps begin with that of the object.
            self._maps[name[name.rindex(".") :] if "." in name else name] = each
            each = self.libbpf.bpf_object__next_map(self._object, each)
        check_layout(self.libbpf, self._maps, self.libbpf.bpf_object__btf(self._object))
        for name, program in self._programs():
            self.libbpf.bpf_program__set_autoload(program, self._is_needed(name))
        for name, entries in sizes_of_maps(self.settings).items():
            self.libbpf.checked(
                self.libbpf.bpf_map__set_max_entries(self._maps[name], entries), "resize a map"
            )
        self.libbpf.checked(
            self.libbpf.bpf_map__set_initial_value(
                self._maps[".rodata"],
                ctypes.byref(self.settings),
                ctypes.sizeof(self.settings),
            ),
            "configure the program",
        )
