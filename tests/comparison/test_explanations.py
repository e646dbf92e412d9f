"""Tests of reasons: each is given where the figures prove it, and only there."""

from collections.abc import Mapping

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import Comparison, changes
from syswatch.comparison.facts import Counts, ProcessFacts
from syswatch.model.objects import ObjectKind

from .made import MISSING, Did, Program, opened, program, with_object

_A, _B = "/opt/a", "/opt/b"


def _with_files(base: Program, names: Mapping[str, Did]) -> Program:
    for name, did in names.items():
        base = with_object(base, ObjectKind.FILE, name, did)
    return base


def _package(place: str, times: int = 1) -> dict[str, Did]:
    """Return a package of ten modules, each of which is opened so many times."""
    names = ["__init__", *(f"m{number}" for number in range(9))]
    did = {"openat": Counts(times), "read": Counts(2 * times, 0, 4096 * times)}
    return {f"{place}/pkg/{name}.py": did for name in names}


def _compared(before: Program, after: Program) -> Comparison:
    return changes([before.run("before")], [after.run("after")])


def _texts(before: Program, after: Program) -> list[str]:
    return [each.text for each in _compared(before, after).findings]


def _reasons(before: Program, after: Program) -> set[str]:
    """Return all reasons that are given."""
    return {each.explanation for each in _compared(before, after).findings} - {""}


class ImportTests(SynchronousTestCase):
    """Packages that are imported again, or from two places."""

    def test_twice(self) -> None:
        """All modules are opened twice; backwards, no longer."""
        once, twice = (_with_files(program(), _package(_A, times)) for times in (1, 2))
        text = "+10 openat below /opt/a/pkg (10 files): package pkg is imported twice"
        self.assertEqual([text], _texts(once, twice))
        self.assertEqual({"package pkg is no longer imported twice"}, _reasons(twice, once))
        thrice = _with_files(program(), _package(_A, 3))
        self.assertEqual({"package pkg is imported 3 times as often"}, _reasons(once, thrice))

    def test_two_processes(self) -> None:
        """If there are twice as many processes, each may import it once."""
        once, twice = (_with_files(program(), _package(_A, times)) for times in (1, 2))
        processes = (*program().processes, ProcessFacts("app", "exited with 0"))
        self.assertEqual(set(), _reasons(once, attrs.evolve(twice, processes=processes)))

    def test_some_modules(self) -> None:
        """If only half of the modules are opened twice, it is not the package."""
        once = _with_files(program(), _package(_A))
        some = dict(list(_package(_A, 2).items())[:5]) | dict(list(_package(_A, 3).items())[5:])
        self.assertEqual(set(), _reasons(once, _with_files(program(), some)))

    def test_data(self) -> None:
        """Files that are no modules are not imported."""
        names = {f"/srv/{number}.json": opened() for number in range(9)}
        twice = {
            name: {call: Counts(*(2 * each for each in row)) for call, row in did.items()}
            for name, did in names.items()
        }
        before, after = (_with_files(program(), each) for each in (names, twice))
        self.assertEqual(set(), _reasons(before, after))

    def test_two_places(self) -> None:
        """The same modules are opened in another directory as well, with what fails there."""
        before = _with_files(program(), _package(_A))
        missing = {
            f"{_B}/pkg/__pycache__/m{number}.cpython-311.pyc": MISSING for number in range(9)
        }
        after = _with_files(before, _package(_B) | missing)
        reason = "package pkg is imported from /opt/b and from /opt/a"
        text = f"+10 openat below /opt/b/pkg (10 files): {reason}"
        self.assertEqual([text], _texts(before, after))
        reason = "package pkg is no longer imported from /opt/b, but still from /opt/a"
        self.assertEqual({reason}, _reasons(after, before))

    def test_moved(self) -> None:
        """Modules that are opened in another directory instead are no import from two places."""
        before, after = (_with_files(program(), _package(place)) for place in (_A, _B))
        text = "openat below /opt/b instead of /opt/a (10 files): the same calls"
        self.assertEqual([text], _texts(before, after))


class MissingTests(SynchronousTestCase):
    """Files that can no longer be opened."""

    def test_missing(self) -> None:
        """All openings succeeded, and all fail; backwards, they succeed again."""
        name = "/etc/app.conf"
        there = _with_files(program(), {name: opened()})
        gone = _with_files(program(), {name: MISSING})
        gone = attrs.evolve(gone, errnos={"openat": {"ENOENT": 2}})
        reason = "it is missing now; before, it could be opened"
        self.assertEqual(f"+1 failing openat of {name}: {reason}", _texts(there, gone)[0])
        reason = "it can be opened now; before, it was missing"
        self.assertEqual({reason}, _reasons(gone, there))
        denied = attrs.evolve(gone, errnos={"openat": {"ENOENT": 1, "EACCES": 1}})
        reason = "permission is denied now; before, it could be opened"
        self.assertEqual({reason}, _reasons(there, denied))

    def test_never_there(self) -> None:
        """A file that was not opened before is not missing now; some that fail are not all."""
        gone = attrs.evolve(
            _with_files(program(), {"/etc/app.conf": MISSING}), errnos={"openat": {"ENOENT": 2}}
        )
        self.assertEqual(set(), _reasons(program(), gone))
        there = _with_files(program(), {"/etc/app.conf": {"openat": Counts(3)}})
        some = _with_files(program(), {"/etc/app.conf": {"openat": Counts(3, 1)}})
        self.assertEqual(set(), _reasons(there, some))


class SearchTests(SynchronousTestCase):
    """Names that are searched in more directories."""

    def _searched(self, name: str, errno: str = "ENOENT") -> Program:
        base = _with_files(program(), {f"{place}/{name}": MISSING for place in (_A, _B)})
        return attrs.evolve(base, errnos={"openat": {"ENOENT": 1} | {errno: 3}})

    def test_library(self) -> None:
        """A library fails in two directories, and is opened in another."""
        found = {"/lib/libz.so.1": opened()}
        before = _with_files(program(), found)
        after = _with_files(self._searched("libz.so.1"), found)
        reason = "searched in 2 more directories of the library path, found in /lib"
        text = f"+2 failing openat of libz.so.1 in 2 directories: {reason}"
        self.assertEqual([text], _texts(before, after))
        self.assertEqual({reason.replace("more", "fewer")}, _reasons(after, before))

    def test_program(self) -> None:
        """A program fails to be executed in a directory, and is executed in another."""
        found = with_object(program(), ObjectKind.FILE, "/usr/bin/sort", {"execve": Counts(1)})
        after = with_object(found, ObjectKind.PATH, "/opt/bin/sort", {"execve": Counts(1, 1)})
        after = attrs.evolve(after, errnos={"execve": {"ENOENT": 1}})
        reason = "searched in 1 more directory of PATH, found in /usr/bin"
        self.assertEqual({reason}, _reasons(found, after))

    def test_not_found(self) -> None:
        """What is found in no directory is a failure, as is another errno."""
        self.assertEqual(set(), _reasons(program(), self._searched("libz.so.1")))
        found = {"/lib/libz.so.1": opened()}
        after = _with_files(self._searched("libz.so.1", "EACCES"), found)
        self.assertEqual(set(), _reasons(_with_files(program(), found), after))


class PieceTests(SynchronousTestCase):
    """The same bytes in more calls."""

    def _reading(self, calls: int, size: int) -> Program:
        return _with_files(program(), {"/srv/data": {"read": Counts(calls, 0, size)}})

    def test_smaller(self) -> None:
        """The bytes are the same, and the calls are ten times as many."""
        before, after = self._reading(4, 1 << 20), self._reading(40, 1 << 20)
        text = "+36 read of /srv/data: the same 1 MiB in smaller pieces, of 25.6 KiB rather than"
        self.assertEqual([f"{text} 256 KiB"], _texts(before, after))
        reason = "the same 1 MiB in larger pieces, of 256 KiB rather than 25.6 KiB"
        self.assertEqual({reason}, _reasons(after, before))

    def test_more_bytes(self) -> None:
        """More bytes in more calls are no smaller pieces, nor is a call or two more."""
        self.assertEqual(set(), _reasons(self._reading(4, 1 << 20), self._reading(8, 1 << 21)))
        self.assertEqual(set(), _reasons(self._reading(4, 1 << 20), self._reading(5, 1 << 20)))


class RetryTests(SynchronousTestCase):
    """Calls that fail, and are made again."""

    def _refused(self, errno: str, times: int) -> Program:
        base = with_object(
            program(), ObjectKind.TCP, "10.0.0.9:80", {"connect": Counts(times, times)}
        )
        return attrs.evolve(base, errnos={"openat": {"ENOENT": 1}, "connect": {errno: times}})

    def test_peer(self) -> None:
        """All connections to a peer are refused."""
        after = self._refused("ECONNREFUSED", 5)
        text = "new peer 10.0.0.9:80: retried after ECONNREFUSED"
        self.assertEqual([text], _texts(program(), after))
        self.assertEqual({"no longer retried after ECONNREFUSED"}, _reasons(after, program()))
        once = self._refused("ECONNREFUSED", 1)
        self.assertEqual({"it fails with ECONNREFUSED"}, _reasons(program(), once))

    def test_unconnected(self) -> None:
        """Sockets of connections that failed are no peers, and their ports are chosen by chance."""
        after = program()
        for port in (42388, 57756):
            name = f"unconnected on 0.0.0.0:{port}"
            after = with_object(after, ObjectKind.TCP, name, {"close": Counts(1)})
        text = "new socket unconnected on 0.0.0.0:‹port› (such as unconnected on 0.0.0.0:42388)"
        self.assertEqual([f"{text}: 2 calls"], _texts(program(), after))

    def test_other_errno(self) -> None:
        """Another errno does not mean to try again."""
        self.assertEqual(set(), _reasons(program(), self._refused("EACCES", 5)))


class ProportionTests(SynchronousTestCase):
    """What grows with the executions of a program."""

    def _compiling(self, files: int, more: int = 0) -> Program:
        objects = {
            "/usr/bin/cc": {"execve": Counts(files)},
            "/usr/lib/specs": {"openat": Counts(2 * files + more)},
        }
        processes = [
            ProcessFacts("make", "exited with 0"),
            *[ProcessFacts("cc", "exited with 0")] * files,
        ]
        return attrs.evolve(_with_files(program(), objects), processes=processes)

    def test_in_proportion(self) -> None:
        """What each execution opens belongs to the executions."""
        text = "+1 execution of /usr/bin/cc: 2 → 3, and 1 other change in proportion"
        self.assertEqual([text], _texts(self._compiling(2), self._compiling(3)))

    def test_more_than_that(self) -> None:
        """What grows by more is a change of its own."""
        found = _texts(self._compiling(2), self._compiling(3, more=1))
        self.assertEqual("+1 execution of /usr/bin/cc: 2 → 3", found[0])
        self.assertIn("+3 openat of /usr/lib/specs: 4 → 7", found)


class ReplacementTests(SynchronousTestCase):
    """Files and programs that take the place of others."""

    def test_program(self) -> None:
        """A program of the same name is executed from another directory."""
        before, after = (
            with_object(program(), ObjectKind.PATH, f"{place}/tool", {"execve": Counts(1)})
            for place in (_A, _B)
        )
        self.assertEqual(["/opt/b/tool is executed instead of /opt/a/tool"], _texts(before, after))

    def test_ambiguous(self) -> None:
        """Where two files could take the place of one, none does."""
        before = _with_files(program(), {"/srv/a": opened()})
        after = _with_files(program(), {"/srv/b": opened(), "/srv/c": opened()})
        self.assertFalse([text for text in _texts(before, after) if "instead" in text])

    def test_other_calls(self) -> None:
        """A file with which other calls are made is another one."""
        before = _with_files(program(), {"/srv/a": opened()})
        after = _with_files(program(), {"/srv/b": {"openat": Counts(1)}})
        self.assertFalse([text for text in _texts(before, after) if "instead" in text])
