"""Tests of the objects of processes in a log that share descriptors or inherit them."""

from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from .condensed import condensed, names


class ChildTests(SynchronousTestCase):
    """Processes that were created with descriptors."""

    def test_duplicates_and_children(self) -> None:
        """Duplicates, children and programs keep what they inherit."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 openat(AT_FDCWD, "/b", O_RDONLY|O_CLOEXEC) = 4
            1 dup2(3, 7) = 7
            1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 2
            1 close(3) = 0
            2 read(3, "", 1) = 0
            2 read(7, "", 1) = 0
            2 read(4, "", 1) = 0
            2 execve("/bin/cat", ["cat"], 0x7ffd /* 9 vars */) = 0
            2 read(7, "", 1) = 0
            2 read(4, "", 1) = -1 EBADF (Bad file descriptor)
            1 wait4(-1, NULL, 0, NULL) = 2
            """
        )
        self.assertEqual(Counter({"/a": 3, "/b": 1, "(descriptor)": 1}), names(delta, "read"))
        self.assertEqual(["cat (2)"], [name[-7:] for name in names(delta, "wait4")])

    def test_child_before_clone_returns(self) -> None:
        """A child that is seen before its parent knows it inherits from the parent."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 vfork( <unfinished ...>
            2 read(3, "", 1) = 0
            2 close(3) = 0
            1 <... vfork resumed>) = 2
            1 read(3, "", 1) = 0
            """
        )
        self.assertEqual(Counter({"/a": 2}), names(delta, "read"))

    def test_children_of_several_clones(self) -> None:
        """What children have opened, closed and run before their clones return is kept."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 openat(AT_FDCWD, "/b", O_RDONLY) = 4
            1 openat(AT_FDCWD, "/private", O_RDONLY|O_CLOEXEC) = 5
            2 openat(AT_FDCWD, "/c", O_RDONLY) = 3
            1 vfork( <unfinished ...>
            2 vfork( <unfinished ...>
            10 close(3) = 0
            10 openat(AT_FDCWD, "/own", O_RDONLY) = 3
            10 dup2(4, 6) = 6
            20 chdir("/srv") = 0
            10 execve("/bin/cat", ["cat"], 0x7f /* 3 vars */) = 0
            1 <... vfork resumed>) = 10
            2 <... vfork resumed>) = 20
            10 read(3, "", 1) = 0
            10 write(6, "", 1) = 0
            10 pread64(5, 0x7f, 1, 0) = -1 EBADF (Bad file descriptor)
            20 read(3, "", 1) = 0
            20 access("x", F_OK) = 0
            """
        )
        self.assertEqual(Counter({"/own": 1, "/c": 1}), names(delta, "read"))
        self.assertEqual(Counter({"/b": 1}), names(delta, "write"))
        self.assertEqual(Counter({"(descriptor)": 1}), names(delta, "pread64"))
        self.assertEqual(Counter({"/srv/x": 1}), names(delta, "access"))
        self.assertEqual("cat", delta.threads[10].comm)

    def test_second_child(self) -> None:
        """A clone whose child is known cannot have made another one."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            2 openat(AT_FDCWD, "/b", O_RDONLY) = 3
            1 vfork( <unfinished ...>
            10 read(3, "", 1) = 0
            2 vfork( <unfinished ...>
            20 read(3, "", 1) = 0
            1 <... vfork resumed>) = 10
            2 <... vfork resumed>) = 20
            """
        )
        self.assertEqual(Counter({"/a": 1, "/b": 1}), names(delta, "read"))

    def test_thread_of_several_clones(self) -> None:
        """A thread shares what it has opened before its clone returns."""
        flags = "child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD"
        delta = condensed(
            f"""
            1 clone({flags} <unfinished ...>
            2 clone({flags} <unfinished ...>
            10 openat(AT_FDCWD, "/own", O_RDONLY) = 3
            1 <... clone resumed>) = 10
            1 read(3, "", 1) = 0
            """
        )
        self.assertEqual(Counter({"/own": 1}), names(delta, "read"))

    def test_shared_descriptors(self) -> None:
        """What a thread opens or closes, the others that share its descriptors have at once."""
        delta = condensed(
            """
            1 openat(AT_FDCWD, "/a", O_RDONLY) = 3
            1 clone(child_stack=0x7f00, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2
            2 read(3, "", 1) = 0
            2 close(3) = 0
            1 read(3, 0x7f00, 1) = -1 EBADF (Bad file descriptor)
            1 openat(AT_FDCWD, "/b", O_RDONLY) = 3
            2 read(3, "", 1) = 0
            2 close(3) = 0
            2 openat(AT_FDCWD, "/c", O_RDONLY) = 3
            1 read(3, "", 1) = 0
            """
        )
        self.assertEqual(
            Counter({"/a": 1, "(descriptor)": 1, "/b": 1, "/c": 1}), names(delta, "read")
        )
