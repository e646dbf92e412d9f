"""Tests of the objects of logs."""

import gc
import weakref
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog.grammar import LoggedCall
from syswatch.tracer.stracelog.log_objects import LogObjects

from .condensed import condensed, names


class MemoryTests(SynchronousTestCase):
    """Groups of calls that have been counted."""

    def test_without_cycles(self) -> None:
        """They need no garbage collector, which the tracer runs rarely."""
        objects = LogObjects(lambda _: True)
        for name, args, ret in (("open", b'"/a", O_RDONLY', b"3"), ("close", b"3", b"0")):
            call = LoggedCall(7, b"", name, args, ret, "", None, returned=True)
            objects.feed_call(call, None, counted=True)
        self.addCleanup(gc.enable)
        gc.disable()
        gone = weakref.ref(objects.groups.pids.keys_of(7))
        objects.drop_groups()
        self.assertIsNone(gone())

    def test_ended(self) -> None:
        """Nothing is kept of a process that has ended."""
        objects = LogObjects(lambda _: True)
        call = LoggedCall(7, b"", "open", b'"/a", O_RDONLY', b"3", "", None, returned=True)
        objects.feed_call(call, None, counted=True)
        self.addCleanup(gc.enable)
        gc.disable()
        gone = weakref.ref(objects.groups.pids.keys_of(7))
        objects.end_process(7)
        self.assertIsNone(gone())


class SecondPathTests(SynchronousTestCase):
    """Calls with two paths."""

    def test_rows(self) -> None:
        """The second one has a row, though the call is counted for the first one."""
        log = """
            7 chdir("/srv") = 0
            7 openat(AT_FDCWD, "/opt", O_RDONLY|O_DIRECTORY) = 3
            7 rename("a", "b") = 0
            7 linkat(3, "c", 3, "d", 0) = -1 ENOENT (No such file or directory)
            7 renameat2(AT_FDCWD</srv>, "e", AT_FDCWD</srv>, "f", 0 <unfinished ...>
            7 <... renameat2 resumed>) = 0
            7 symlink("g", "h") = 0
            """
        delta = condensed(log)
        found = {
            (key.call, delta.objects[key.object].name, sums.count)
            for key, sums in delta.activity.items()
            if key.call not in ("chdir", "openat")
        }
        self.assertEqual(
            {
                *{("rename", "/srv/a", 1), ("rename", "/srv/b", 0)},
                *{("linkat", "/opt/c", 1), ("linkat", "/opt/d", 0)},
                *{("renameat2", "/srv/e", 1), ("renameat2", "/srv/f", 0)},
                ("symlink", "/srv/h", 1),
            },
            found,
        )
        self.assertEqual(
            {"symlink"}, {key.call for key in condensed(log, trace="symlink").activity}
        )


class DestinationTests(SynchronousTestCase):
    """Messages with addresses."""

    def test_rows(self) -> None:
        """Each peer has a row, though the call is counted for the socket."""
        there = 'sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr("10.0.0.%d")'
        message = "{msg_hdr={msg_name={%s}, msg_namelen=16}, msg_len=1}" % (there % (53, 0))
        message = message.replace("10.0.0.0", "10.0.0.%d")
        delta = condensed(
            f"""
            7 socket(AF_INET, SOCK_DGRAM, IPPROTO_IP) = 3
            7 sendto(3, "sa_family={{sa_family=", 22, 0, {{{there % (53, 1)}}}, 16) = 22
            7 sendto(3, "x", 1, 0, {{{there % (53, 2)}}}, 16) = -1 EPERM (Operation not permitted)
            7 sendmsg(3, {{msg_name={{{there % (53, 3)}}}, msg_namelen=16, msg_flags=0}}, 0) = 0
            7 sendmmsg(3, [{message % 4}, {message % 5}], 2, 0) = 2
            7 bind(3, {{{there % (99, 9)}}}, 16) = 0
            7 sendto(3, "x", 1, 0, {{{there % (40000, 6)}}}, 16) = 1
            7 socket(AF_UNIX, SOCK_DGRAM, 0) = 4
            7 sendto(4, "x", 1, 0, {{sa_family=AF_UNIX, sun_path="/run/}}x"}}, 110) = 1
            7 sendto(5, "x", 1, 0, {{{there % (53, 7)}}}, 16) = 1
            7 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 6
            7 sendto(6, "x", 1, 0, NULL, 0) = 1
            """
        )
        noted = sorted(
            (key.call, delta.objects[key.object].name)
            for key, sums in delta.activity.items()
            if not sums.count
        )
        self.assertEqual(
            [
                ("sendmmsg", "10.0.0.4:53"),
                ("sendmmsg", "10.0.0.5:53"),
                ("sendmsg", "10.0.0.3:53"),
                ("sendto", "/run/}x"),
                ("sendto", "10.0.0.1:53"),
                ("sendto", "10.0.0.2:53"),
                ("sendto", "10.0.0.6 -> :99"),
                ("sendto", "10.0.0.7:53"),
            ],
            noted,
        )
        self.assertEqual(6, delta.calls["sendto"].count)


class ThreadNamesTests(SynchronousTestCase):
    """The commands of threads."""

    def test_ended(self) -> None:
        """A thread that has ended when its calls are taken has its last command."""
        delta = condensed(
            """
            7 execve("/bin/sh", ["sh"], 0x7f /* 3 vars */) = 0
            7 clone(child_stack=NULL, flags=SIGCHLD) = 8
            8 getpid() = 8
            8 +++ exited with 0 +++
            7 +++ exited with 0 +++
            """
        )
        self.assertEqual({7: "sh", 8: "sh"}, {tid: t.comm for tid, t in delta.threads.items()})

    def test_taken_over(self) -> None:
        """A thread that executes a program keeps the files and the place of its process."""
        delta = condensed(
            """
            7 chdir("/srv") = 0
            7 openat(AT_FDCWD, "in.txt", O_RDONLY) = 3
            7 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD}, 88) = 8
            8 execve("/bin/cat", ["cat"], 0x7f /* 3 vars */ <unfinished ...>
            7 +++ superseded by execve in pid 8 +++
            7 <... execve resumed>) = 0
            7 read(3, "", 1) = 0
            7 openat(AT_FDCWD, "b", O_RDONLY) = 4
            """
        )
        self.assertEqual(Counter({"/srv/in.txt": 1}), names(delta, "read"))
        self.assertEqual(Counter({"/srv/in.txt": 1, "/srv/b": 1}), names(delta, "openat"))

    def test_ended_before_clone_returns(self) -> None:
        """A child that has ended before its clone returns keeps its command, or its parent's."""
        delta = condensed(
            """
            7 execve("/bin/sh", ["sh"], 0x7f /* 3 vars */) = 0
            9 execve("/bin/bash", ["bash"], 0x7f /* 3 vars */) = 0
            7 vfork( <unfinished ...>
            9 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
            8 execve("/bin/cat", ["cat"], 0x7f /* 3 vars */) = 0
            8 +++ exited with 0 +++
            10 getpid() = 10
            10 +++ exited with 0 +++
            7 <... vfork resumed>) = 8
            9 <... clone resumed>) = 10
            7 wait4(-1, NULL, 0, NULL) = 8
            9 wait4(-1, NULL, 0, NULL) = 10
            """
        )
        self.assertEqual(
            {7: "sh", 8: "cat", 9: "bash", 10: "bash"},
            {tid: thread.comm for tid, thread in delta.threads.items()},
        )
        self.assertEqual({"cat (8)": 1, "bash (10)": 1}, names(delta, "wait4"))


class ObjectTests(SynchronousTestCase):
    """Calls are credited to their objects."""

    def test_reuse(self) -> None:
        """A number that is used again stands for the new file; bytes are added up."""
        delta = condensed(
            """
            openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>
            read(3, "x", 100) = 10 <0.000010>
            close(3) = 0 <0.000010>
            openat(AT_FDCWD, "/b", O_RDONLY) = 3 <0.000010>
            read(3, "x", 100) = 20 <0.000010>
            read(3, "", 100) = 0 <0.000010>
            openat(AT_FDCWD, "/none", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000010>
            """
        )
        self.assertEqual(Counter({"/a": 1, "/b": 2}), names(delta, "read"))
        self.assertEqual(Counter({"/a": 1, "/b": 1, "/none": 1}), names(delta, "openat"))
        read = {
            delta.objects[key.object].name: sums.bytes_in
            for key, sums in delta.activity.items()
            if key.call == "read"
        }
        self.assertEqual({"/a": 10, "/b": 20}, read)

    def test_close_in_two_halves(self) -> None:
        """A number is free as soon as close has begun."""
        delta = condensed(
            """
            1 clone(child_stack=0x7f00, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 close(3 <unfinished ...>
            2 openat(AT_FDCWD, "/b", O_RDONLY) = 3
            1 <... close resumed>) = 0
            1 read(3, "", 1) = 0
            """
        )
        self.assertEqual(Counter({"/a": 1}), names(delta, "close"))
        self.assertEqual(Counter({"/b": 1}), names(delta, "read"))

    def test_close_of_named_in_two_halves(self) -> None:
        """The same holds if the log names what a descriptor refers to."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3</a>
            1 close(3</a> <unfinished ...>
            1 <... close resumed>) = 0
            1 openat(AT_FDCWD, "/b", O_RDONLY) = 3</b>
            1 read(3</b>, "", 1) = 0
            """
        )
        self.assertEqual(Counter({"/a": 1}), names(delta, "close"))
        self.assertEqual(Counter({"/b": 1}), names(delta, "read"))

    def test_close_of_nothing_in_two_halves(self) -> None:
        """A close of no descriptor has no object, and closes none."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 close(-1 <unfinished ...>
            1 <... close resumed>) = -1 EBADF (Bad file descriptor)
            1 read(3, "", 1) = 0
            """
        )
        self.assertEqual(Counter({"(none)": 1}), names(delta, "close"))
        self.assertEqual(Counter({"/a": 1}), names(delta, "read"))

    def test_not_counted(self) -> None:
        """Calls that are left out by their result have changed commands and directories as well."""
        delta = condensed(
            """
            7 execve("/bin/sh", ["sh"], 0x7f /* 3 vars */) = 0
            7 chdir("/srv") = 0
            7 openat(AT_FDCWD, "x", O_RDONLY) = -1 ENOENT (No such file or directory)
            """,
            status="failed",
        )
        self.assertEqual(Counter({"/srv/x": 1}), names(delta, "openat"))
        self.assertEqual("sh", delta.threads[7].comm)

    def test_bytes_not_counted(self) -> None:
        """Calls that are left out by their result have moved no bytes, in whatever way."""
        log = """
            7 sendfile(4<pipe:[2]>, 3</a>, NULL, 100) = 100 <0.000010>
            7 sendmmsg(5<UNIX:[3]>, [{msg_hdr={}, msg_len=20}], 1, 0) = 1 <0.000010>
            7 recvfrom(5<UNIX:[3]>, "x"..., 30, MSG_PEEK, NULL, NULL) = 30 <0.000010>
            7 read(3</a>, 0x1, 30) = -1 EFAULT (Bad address) <0.000010>
            """
        rows = condensed(log, status="failed").activity.values()
        self.assertEqual({(0, 0)}, {(each.bytes_in, each.bytes_out) for each in rows})
        rows = condensed(log, status="successful").activity.values()
        self.assertEqual(100, sum(each.bytes_in for each in rows))
        self.assertEqual(120, sum(each.bytes_out for each in rows))

    def test_left_in_place(self) -> None:
        """What a program only looks at, it has not received yet."""
        delta = condensed(
            """
            7 recvfrom(3, "x"..., 30, 0, NULL, NULL) = 30 <0.000010>
            7 recvfrom(3, "x"..., 30, MSG_PEEK|MSG_DONTWAIT, NULL, NULL) = 30 <0.000010>
            7 recvfrom(3, ", MSG_PEEK,"..., 30, 0, NULL, NULL) = 30 <0.000010>
            8 recvmsg(4, {msg_name=NULL, msg_iovlen=1}, MSG_PEEK <unfinished ...>
            7 recvfrom(3, <unfinished ...>
            8 <... recvmsg resumed>) = 30 <0.000010>
            7 <... recvfrom resumed>"x"..., 30, MSG_PEEK, NULL, NULL) = 30 <0.000010>
            7 recvmmsg(4, [{msg_hdr={}, msg_len=20}], 1, MSG_PEEK, NULL) = 1 <0.000010>
            """
        )
        received = Counter[str]()
        for key, row in delta.activity.items():
            received[key.call] += row.bytes_in
        self.assertEqual({"recvfrom": 60, "recvmsg": 0, "recvmmsg": 0}, received)

    def test_sockets(self) -> None:
        """A socket is its peer; a wait for a connection is that of the listening socket."""
        delta = condensed(
            """
            socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3
            bind(3, {sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")}, 16) = 0
            listen(3, 128) = 0
            accept4(3, {sin_port=htons(9), sin_addr=inet_addr("10.0.0.9")}, [16], 0) = 4
            recvfrom(4, "x", 10, 0, NULL, NULL) = 5
            socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 5
            connect(5, {sin_port=htons(5432), sin_addr=inet_addr("10.0.0.5")}, 16) = 0
            sendto(5, "x", 1, 0, NULL, 0) = 7
            """
        )
        self.assertEqual(Counter({"listening on 10.0.0.1:80": 1}), names(delta, "accept4"))
        self.assertEqual(Counter({"10.0.0.9 -> :80": 1}), names(delta, "recvfrom"))
        self.assertEqual(Counter({"10.0.0.5:5432": 1}), names(delta, "sendto"))

    def test_refused(self) -> None:
        """A connect that fails is credited to the peer, and the socket stays unconnected."""
        address = '{sa_family=AF_INET, sin_port=htons(5432), sin_addr=inet_addr("10.0.0.5")}'
        delta = condensed(
            f"""
            7 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 3 <0.000010>
            7 connect(3, {address}, 16) = -1 ECONNREFUSED (Connection refused) <0.000010>
            7 shutdown(3, SHUT_RDWR) = -1 ENOTCONN (Transport endpoint is not connected) <0.000010>
            """
        )
        self.assertEqual({"10.0.0.5:5432": 1}, names(delta, "connect"))
        self.assertEqual({"unconnected": 1}, names(delta, "shutdown"))

    def test_woken(self) -> None:
        """A wait for several descriptors is that for the one that was ready."""
        delta = condensed(
            """
            openat(AT_FDCWD, "/a", O_RDONLY) = 3
            openat(AT_FDCWD, "/b", O_RDONLY) = 4
            epoll_create1(EPOLL_CLOEXEC) = 5
            epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN, data={u32=77, u64=77}}) = 0
            epoll_wait(5, [{events=EPOLLIN, data={u32=77, u64=77}}], 8, -1) = 1
            epoll_wait(5, [], 8, 10) = 0
            poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, revents=POLLIN}])
            poll([{fd=3, events=POLLIN}], 1, 10) = 0 (Timeout)
            select(5, [3 4], NULL, NULL, NULL) = 1 (in [4])
            """
        )
        self.assertEqual(Counter({"/b": 1, "timed out": 1}), names(delta, "epoll_wait"))
        self.assertEqual(Counter({"/a": 1, "timed out": 1}), names(delta, "poll"))
        self.assertEqual(Counter({"/b": 1}), names(delta, "select"))

    def test_paths(self) -> None:
        """Paths are relative to the working directory or another one, as far as it is known."""
        delta = condensed(
            """
            access("x", F_OK) = 0
            chdir("/srv") = 0
            access("x", F_OK) = 0
            openat(AT_FDCWD, "/a", O_RDONLY|O_DIRECTORY) = 3
            newfstatat(3, "x", {st_mode=S_IFREG|0644, st_size=1, ...}, 0) = 0
            newfstatat(3, "", {st_mode=S_IFREG|0644, st_size=1, ...}, AT_EMPTY_PATH) = 0
            openat(3, "y", O_RDONLY) = 4
            mmap(NULL, 100, PROT_READ, MAP_PRIVATE, 4, 0) = 0x7f0000000000
            mmap(NULL, 100, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000
            getpid() = 3
            """
        )
        self.assertEqual(Counter({"x": 1, "/srv/x": 1}), names(delta, "access"))
        self.assertEqual(Counter({"/a/x": 1, "/a": 1}), names(delta, "newfstatat"))
        self.assertEqual(Counter({"/a/y": 1, "(none)": 1}), names(delta, "mmap"))
        self.assertEqual(Counter({"(none)": 1}), names(delta, "getpid"))

    def test_paths_of_the_past(self) -> None:
        """A path is relative to the directory of the time, and so is a file opened again."""
        delta = condensed(
            """
            1 chdir("/one") = 0
            1 openat(AT_FDCWD, "x", O_RDONLY) = 3
            1 read(3, "", 1) = 0
            1 access("x", F_OK) = 0
            1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 2
            2 access("x", F_OK) = 0
            2 +++ exited with 0 +++
            1 chdir("/two") = 0
            1 openat(AT_FDCWD, "x", O_RDONLY) = 3
            1 read(3, "", 1) = 0
            1 access("x", F_OK) = 0
            1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 2
            2 access("x", F_OK) = 0
            """
        )
        self.assertEqual(Counter({"/one/x": 2, "/two/x": 2}), names(delta, "access"))
        self.assertEqual(Counter({"/one/x": 1, "/two/x": 1}), names(delta, "read"))
        self.assertEqual(Counter({"/one/x": 1, "/two/x": 1}), names(delta, "openat"))

    def test_getcwd(self) -> None:
        """The working directory is also known from `getcwd`, which has no object itself."""
        delta = condensed(
            """
            1 access("x", F_OK) = 0
            1 getcwd("/one", 4096) = 5
            1 access("x", F_OK) = 0
            1 getcwd("/one", 4096) = 5
            1 access("x", F_OK) = 0
            1 getcwd(0x7ffe, 2) = -1 ERANGE (Numerical result out of range)
            1 access("x", F_OK) = 0
            1 getcwd("/two", 4096) = 5
            1 access("x", F_OK) = 0
            """
        )
        self.assertEqual(Counter({"x": 1, "/one/x": 3, "/two/x": 1}), names(delta, "access"))
        self.assertEqual(Counter({"(none)": 4}), names(delta, "getcwd"))

    def test_unknown_path(self) -> None:
        """What is opened by a path that the log does not have, or only in part, is not known."""
        delta = condensed(
            """
            1 getcwd("/one", 4096) = 5
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 close(3) = 0
            1 openat(AT_FDCWD, 0x7ffe, O_RDONLY) = 3
            1 read(3, "", 1) = 0
            1 open(0x7ffe, O_RDONLY) = 4
            1 read(4, "", 1) = 0
            1 open("x", O_RDONLY) = 5
            1 read(5, "", 1) = 0
            """
        )
        self.assertEqual(Counter({"(descriptor)": 2, "/one/x": 1}), names(delta, "read"))

    def test_two_descriptors(self) -> None:
        """Bytes are read from one object and written to the other; the call counts once."""
        delta = condensed(
            """
            openat(AT_FDCWD, "/a", O_RDONLY) = 3
            openat(AT_FDCWD, "/b", O_WRONLY) = 4
            sendfile(4, 3, NULL, 100) = 60
            """
        )
        rows = {
            delta.objects[key.object].name: (sums.count, sums.bytes_in, sums.bytes_out)
            for key, sums in delta.activity.items()
            if key.call == "sendfile"
        }
        self.assertEqual({"/a": (1, 60, 0), "/b": (0, 0, 60)}, rows)
