"""Tests of the objects that a tracer keeps."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind, Side, other_object
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.addresses import Endpoint
from syswatch.tracer.objects.hosts import HostNames
from syswatch.tracer.objects.known import KnownObjects

_FIRST, _SECOND, _THIRD = (ObjectInfo(ObjectKind.FILE, name) for name in ("/a", "/b", "/c"))


class KnownObjectsTests(SynchronousTestCase):
    """What is kept, and what is described."""

    def test_limit(self) -> None:
        """Beyond the limit, an object is one of the others, until another one is forgotten."""
        known = KnownObjects(limit=2)
        first, _ = map(known.add, (_FIRST, _SECOND))
        self.assertEqual(other_object(ObjectKind.FILE), known.add(_THIRD))
        self.assertEqual(1, known.take_untracked())
        known.forget([first])

        self.assertEqual(_THIRD.id, known.add(_THIRD))
        self.assertEqual(0, known.take_untracked())

    def test_described_again(self) -> None:
        """Once something was forgotten, what is used is described every time."""
        known = KnownObjects()
        first, second = map(known.add, (_FIRST, _SECOND))
        self.assertEqual({first: _FIRST, second: _SECOND}, known.take())
        self.assertEqual({}, known.take([first, second]))
        known.forget([first])

        self.assertEqual({second: _SECOND}, known.take([first, second]))

    def test_take(self) -> None:
        """An object is reported once, and again when more is known."""
        known = KnownObjects()
        number = known.add(ObjectInfo(ObjectKind.PATH, "/a"))
        self.assertEqual(known.take(), {number: ObjectInfo(ObjectKind.PATH, "/a")})
        known.add(ObjectInfo(ObjectKind.PATH, "/a"))
        self.assertEqual(known.take(), {})
        file = ObjectInfo(ObjectKind.FILE, "/a")
        self.assertEqual(known.add(file), number)
        self.assertEqual(known.take(), {number: file})
        known.add(ObjectInfo(ObjectKind.PATH, "/a"))
        self.assertEqual(known.take(), {})


class HostsTests(SynchronousTestCase):
    """Objects with the names of hosts."""

    def peer(self, ip: str, side: Side = Side.CLIENT) -> ObjectInfo:
        """Return a connection to a host."""
        return describe.internet_socket(
            ObjectKind.TCP, Endpoint("10.0.0.2", 40000), Endpoint(ip, 5432), side
        )

    def test_names(self) -> None:
        """An object that is known already gets its name later, and keeps its ID."""
        known = KnownObjects(hosts=HostNames({"::1": "local"}))
        numbers = [known.add(self.peer(ip)) for ip in ("10.0.0.5", "10.0.0.55", "::1")]
        client = known.add(self.peer("10.0.0.5", Side.SERVER))
        self.assertEqual(["", "", "local", ""], [i.host for i in known.take().values()])
        known.hosts.learn("10.0.0.5", "db")
        self.assertEqual({numbers[0], client}, set(known.take()))
        later = known.add(self.peer("10.0.0.5"))
        self.assertEqual(numbers[0], later)
        info = known.info(later)
        self.assertEqual(("db", "10.0.0.5:5432"), (info and info.host, info and info.name))

    def test_listening(self) -> None:
        """What has no peer has no name of one."""
        known = KnownObjects(hosts=HostNames({"10.0.0.2": "any"}))
        listening = describe.internet_socket(
            ObjectKind.TCP, Endpoint("10.0.0.2", 80), None, Side.LISTENING
        )
        number = known.add(listening)
        info = known.info(number)
        self.assertEqual("", info and info.host)
