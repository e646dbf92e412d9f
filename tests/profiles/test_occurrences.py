"""Tests of where refused calls were made."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.evidence import EvidenceKey
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessTally
from syswatch.model.threads import ThreadTally
from syswatch.profiles.occurrences import Occurrences
from syswatch.profiles.refused_calls import lines_of

_FILE = ObjectInfo(ObjectKind.FILE, "/etc/hosts")
_SUMS = Delta(
    activity={
        ActivityKey(7, 7, _FILE.id, "openat"): Sums(count=2),
        ActivityKey(7, 8, _FILE.id, "openat"): Sums(count=1),
        ActivityKey(9, 9, 0, "openat@i386"): Sums(count=1),
    },
    objects={_FILE.id: _FILE},
    processes={7: ProcessTally(comm="cat"), 9: ProcessTally(comm="sh")},
    threads={8: ThreadTally(7, "worker")},
    log=(
        LogEntry(0, 8, "socket", "AF_UNIX, SOCK_STREAM, 0", "3", ""),
        LogEntry(0, 9, "socket", "AF_INET, SOCK_STREAM, 0", "3", ""),
    ),
    failures={"openat": (Failure(0, 9, "ENOENT", 'AT_FDCWD, "/no"'),)},
)


class OccurrenceTests(SynchronousTestCase):
    """The lines about a call."""

    def lines(self, key: EvidenceKey, *, is_alone: bool = True) -> list[str]:
        """Return them."""
        return list(lines_of(Occurrences.of(_SUMS), key, is_alone=is_alone))

    def test_process(self) -> None:
        """Threads of a process are added up, and calls of other programs are left out."""
        self.assertEqual(
            ["3 times by process 7 (cat) on /etc/hosts"],
            self.lines(EvidenceKey("openat", program="cat")),
        )
        self.assertEqual(
            ["once by process 9 (sh)"],
            self.lines(EvidenceKey("openat", (), "i386", "sh")),
        )

    def test_sample(self) -> None:
        """A call with the same arguments is shown, also of a thread of the program."""
        self.assertEqual(
            ["such as socket(AF_UNIX, SOCK_STREAM, 0), by thread 8"],
            self.lines(EvidenceKey("socket", (1, 1, 0), program="cat")),
        )
        self.assertEqual([], self.lines(EvidenceKey("socket", (2, 1, 0), program="cat")))

    def test_other_arguments(self) -> None:
        """If others of the calls are permitted, sums do not tell which process made these."""
        self.assertEqual(
            ['such as openat(AT_FDCWD, "/no"), by thread 9'],
            self.lines(EvidenceKey("openat", program="sh"), is_alone=False),
        )

    def test_log(self) -> None:
        """Sums of a log have no names of processes, so that only other evidence excludes one."""
        sums = attrs.evolve(_SUMS, processes={}, threads={})
        key = EvidenceKey("openat", program="cat")
        self.assertEqual([], list(lines_of(Occurrences.of(sums), key, is_alone=False)))
        self.assertEqual(
            [
                "3 times by process 7 on /etc/hosts",
                'such as openat(AT_FDCWD, "/no"), by thread 9',
            ],
            list(lines_of(Occurrences.of(sums), key, is_alone=True)),
        )

    def test_sum(self) -> None:
        """What two sources tell is added: a number may be that of a process in each."""
        one = Occurrences.of(_SUMS)
        line = "3 times by process 7 (cat) on /etc/hosts"
        key = EvidenceKey("openat", program="cat")
        self.assertEqual([line] * 2, list(lines_of(one + one, key, is_alone=True)))
        many = list(lines_of(one + one + one + one + one, key, is_alone=True))
        self.assertEqual([*[line] * 3, "and by 2 more processes"], many)

    def test_objects(self) -> None:
        """The objects of most calls are named, and the others counted."""
        files = [ObjectInfo(ObjectKind.FILE, f"/file{number}") for number in range(7)]
        rows = {
            ActivityKey(7, 7, each.id, "openat"): Sums(count=number + 1)
            for number, each in enumerate(files)
        }
        sums = attrs.evolve(_SUMS, activity=rows, objects={each.id: each for each in files}, log=())
        (line, *_) = lines_of(Occurrences.of(sums), EvidenceKey("openat"), is_alone=True)
        self.assertEqual(
            "28 times by process 7 (cat) on /file6, /file5, /file4, /file3, /file2 and 2 more", line
        )
