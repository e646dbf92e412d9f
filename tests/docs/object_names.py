"""Names of objects as the tracers make them, for the documentation."""

from collections.abc import Mapping

from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.addresses import Endpoint

_OWNER = describe.Owner(4711, "nginx")
_DATABASE = Endpoint("10.0.0.5", 5432)
_RESOLVER = Endpoint("10.0.0.1", 53)
_SECONDS_NS = 300_000_000
_OBJECTS = (
    describe.path(b"/etc/ld.so.preload"),
    describe.opened(b"/var/lib/app/db.wal"),
    ObjectInfo(ObjectKind.DIRECTORY, "/var/lib/app"),
    describe.opened(b"/dev/urandom"),
    describe.opened(b"/dev/pts/3"),
    describe.pipe(12345),
    describe.unix_socket(b"/run/dbus/system_bus_socket"),
    describe.internet_socket(ObjectKind.TCP, None, _DATABASE, Side.CLIENT),
    describe.internet_socket(ObjectKind.UDP, None, _RESOLVER, Side.CLIENT),
    describe.other_socket("netlink", 3, _OWNER),
    describe.anonymous("eventfd", 5, _OWNER),
    describe.anonymous("timerfd", 6, _OWNER),
    describe.anonymous("signalfd", 7, _OWNER),
    describe.anonymous("inotify", 8, _OWNER),
    describe.anonymous("eventpoll", 9, _OWNER),
    describe.memory_file(b"buffer"),
    describe.anonymous("io_uring", 10, _OWNER),
    describe.from_link(b"net:[4026531840]", 11, _OWNER),
    describe.futex(0x7F32A0C01230, b"[heap]", _OWNER),
    describe.sleep(_SECONDS_NS),
    describe.child(describe.Owner(4712, "make")),
    describe.SIGNALS,
    describe.TIMED_OUT,
)
EXAMPLES: Mapping[ObjectKind, str] = {info.kind: info.name for info in _OBJECTS}
