"""Tests of names without what differs between runs."""

from collections.abc import Mapping, Sequence

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.alignment.objects import align_object
from syswatch.comparison.alignment.paths import align_path, shape_of_path
from syswatch.comparison.alignment.peers import align_peer, shape_of_peer
from syswatch.comparison.alignment.together import aligned_together
from syswatch.comparison.run import Figure, Figures, Kind, Subject
from syswatch.model.objects import ObjectKind

_CERTAIN = {
    "/proc/4711/stat": "/proc/‹pid›/stat",
    "/proc/4711/task/4712/comm": "/proc/‹pid›/task/‹pid›/comm",
    "/proc/self/fd/17": "/proc/self/fd/‹n›",
    "/proc/sys/kernel/osrelease": "/proc/sys/kernel/osrelease",
    "/dev/pts/12": "/dev/pts/‹n›",
    "/dev/pts/ptmx": "/dev/pts/ptmx",
    "/tmp/cc5oI418.o": "/tmp/cc‹name›.o",  # noqa: S108
    "/tmp/sortabcdef": "/tmp/sort‹name›",  # noqa: S108
    "/tmp/AEwiNHlGuc": "/tmp/‹name›",  # noqa: S108
    "/tmp/_WendzNfKY": "/tmp/‹name›",  # noqa: S108
    "/tmp/_vhtn8hd": "/tmp/‹name›",  # noqa: S108
    "/tmp/Wen_dzNfKY.dat": "/tmp/‹name›.dat",  # noqa: S108
    "/tmp/cache_dzNfKY": "/tmp/cache_‹name›",  # noqa: S108
    "/tmp/tmpq8x_1z0a/data.json": "/tmp/tmp‹name›/data.json",  # noqa: S108
    "/dev/shm/sem.OGMQDr": "/dev/shm/sem.‹name›",  # noqa: S108
    "/tmp/project/Makefile": "/tmp/project/Makefile",  # noqa: S108
    "/srv/2f0a7c9e-30b4-4d6e-9a51-0c1f7f3c2b11.txt": "/srv/‹name›.txt",
    "/etc/hosts": "/etc/hosts",
    "libs/module.py": "libs/module.py",
}
_SHAPES = {
    "/r/.git/objects/5f/55762f60286dc2c3f82b7607c882c1b50f8095": "/r/.git/objects/‹hash›",
    "/var/log/app-2024-11-23.log": "/var/log/app-‹date›.log",
    "/var/log/app.20241123T1200.log": "/var/log/app.‹date›.log",
    "/nix/0c1f7f3c2b11-hello/bin": "/nix/‹hash›-hello/bin",
    "/run/app.48213.sock": "/run/app.‹n›.sock",
    "/usr/lib/python3.11/json/decoder.py": "/usr/lib/python3.11/json/decoder.py",
    "/usr/lib/libz.so.1.2.13": "/usr/lib/libz.so.1.2.13",
}


class RuleTests(SynchronousTestCase):
    """Names that are aligned without looking at other runs, and shapes."""

    def test_paths(self) -> None:
        """PIDs and temporary names are replaced, and nothing else."""
        for path, expected in _CERTAIN.items():
            self.assertEqual(expected, align_path(path))
            self.assertEqual(expected, align_path(expected))

    def test_shapes(self) -> None:
        """Hashes, dates and long numbers are replaced, and versions are kept."""
        for path, expected in _SHAPES.items():
            self.assertEqual(expected, shape_of_path(path))

    def test_objects(self) -> None:
        """Descriptors, PIDs, inodes and addresses are left out."""
        for kind, name, expected in (
            (ObjectKind.PIPE, "pipe [27789129]", "pipe"),
            (ObjectKind.FUTEX, "python3 (41): 0x7f12a0 in [heap]", "futex of python3"),
            (ObjectKind.CHILD, "git (20785)", "child process git"),
            (ObjectKind.EPOLL, "epoll 8 of nginx (1)", "epoll of nginx"),
            (ObjectKind.SLEEP, "9.93 ms", "sleep"),
            (ObjectKind.MEMFD, "cache", "memory file cache"),
        ):
            self.assertEqual(expected, align_object(kind, name))

    def test_peers(self) -> None:
        """A host that was looked up counts, rather than its address; UDP is told from TCP."""
        for kind, name, host, expected in (
            (ObjectKind.TCP, "10.0.0.5:5432", "", "10.0.0.5:5432"),
            (ObjectKind.TCP, "151.101.0.223:443", "pypi.org", "pypi.org:443"),
            (ObjectKind.UDP, "10.0.0.2:53", "", "10.0.0.2:53/udp"),
            (ObjectKind.UNIX, "/run/app/socket", "", "/run/app/socket"),
            (ObjectKind.UNIX, "socket 5 of curl (123)", "", "socket of curl"),
            (ObjectKind.SOCKET, "netlink socket 3 of ip (7)", "", "netlink socket of ip"),
        ):
            self.assertEqual(expected, align_peer(kind, name, host))

    def test_ports(self) -> None:
        """A port is replaced if the kernel of this machine may have chosen it."""
        for name, expected in {
            "localhost:35091": "localhost:‹port›",
            "127.0.0.1 -> :35091": "127.0.0.1 -> :‹port›",
            "listening on 0.0.0.0:40001": "listening on 0.0.0.0:‹port›",
            "127.0.0.1:8080": "127.0.0.1:8080",
            "10.0.0.5:50051": "10.0.0.5:50051",
        }.items():
            self.assertEqual(expected, shape_of_peer(name))


class TogetherTests(SynchronousTestCase):
    """Names that are aligned by a comparison of the runs."""

    def _names(
        self, before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
    ) -> list[list[str]]:
        first, second, _ = aligned_together(
            [_table(run) for run in before], [_table(run) for run in after]
        )
        return [sorted(subject.name for subject in table) for table in (*first, *second)]

    def test_common_names_are_kept(self) -> None:
        """A hash that all runs have identifies a file."""
        name = "/o/0a1b2c3d4e"
        self.assertEqual([[name], [name]], self._names([[name]], [[name]]))

    def test_shapes_of_different_runs(self) -> None:
        """Different hashes at the same place are one name, with a real one as example."""
        one, other = "/o/0a1b2c3d4e", "/o/9f8e7d6c5b"
        self.assertEqual([["/o/‹hash›"]] * 2, self._names([[one]], [[other]]))
        _, _, examples = aligned_together([_table([one])], [_table([other])])
        self.assertEqual({Subject(Kind.FILE, "/o/‹hash›"): one}, examples)

    def test_only_one_side(self) -> None:
        """What only one side has keeps its name."""
        one, other = "/o/0a1b2c3d4e", "/o/9f8e7d6c5b"
        self.assertEqual([[], [one, other]], self._names([[]], [[one, other]]))

    def test_differs_in_each_run(self) -> None:
        """A name that is another one in each run of a side is replaced, in all runs."""
        runs = [["/srv/red/part"], ["/srv/green/part"], ["/srv/blue/part"]]
        found = self._names(runs, [["/srv/white/part"]])
        self.assertEqual([["/srv/‹name›/part"]] * 4, found)

    def test_differs_between_the_sides(self) -> None:
        """With one run on each side, another name is a change."""
        self.assertEqual(
            [["/srv/red"], ["/srv/blue"]], self._names([["/srv/red"]], [["/srv/blue"]])
        )

    def test_sums(self) -> None:
        """The figures of names that become one are added."""
        before = [_table(["/o/0a1b2c3d4e", "/o/1a1b2c3d4e"])]
        (first,), _, _ = aligned_together(before, [_table(["/o/9f8e7d6c5b"])])
        self.assertEqual({Subject(Kind.FILE, "/o/‹hash›"): {Figure.COUNT: 2}}, first)

    def test_random_words(self) -> None:
        """A random name that looks like a word fits the shape of the others."""
        found = self._names([["/r/shallow_k3Jx9Q"], ["/r/shallow_aB3dE9"]], [["/r/shallow_iejcti"]])
        self.assertEqual([["/r/shallow_‹name›"]] * 3, found)


def _table(names: Sequence[str]) -> Mapping[Subject, Figures]:
    return {Subject(Kind.FILE, name): {Figure.COUNT: 1} for name in names}
