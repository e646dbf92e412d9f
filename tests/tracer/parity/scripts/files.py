"""Use files and directories."""

import fcntl
import mmap
import os
import shutil
import tempfile
from contextlib import suppress

with open("file", "w+b") as file:  # noqa: PTH123
    number = file.fileno()
    file.write(b"line\n" * 1000)
    file.flush()
    os.fsync(number)
    os.ftruncate(number, 4096)
    os.posix_fallocate(number, 0, 8192)
    os.posix_fadvise(number, 0, 0, os.POSIX_FADV_SEQUENTIAL)
    os.pread(number, 500, 10)
    os.pwritev(number, [b"ab" * 50, b"cd"], 0)
    os.preadv(number, [bytearray(3), bytearray(300)], 0)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(file, fcntl.LOCK_SH)
    fcntl.fcntl(file, fcntl.F_GETFL)
    os.fchmod(number, 0o640)
    with mmap.mmap(number, 4096) as mapped:
        mapped[0:4] = b"mmap"
        mapped.flush()
os.utime("file", (1_000_000_000, 1_000_000_000.5))
os.setxattr("file", "user.color", b"green")
os.getxattr("file", "user.color")
os.listxattr("file")
os.mkdir("folder", 0o750)  # noqa: PTH102
os.symlink("x" * 300, "folder/link")  # noqa: PTH211
os.readlink("folder/link")  # noqa: PTH115
os.link("file", "folder/" + "long" * 50)
os.listdir("folder")  # noqa: PTH208
os.rename("folder", "moved")  # noqa: PTH104
os.statvfs(".")
shutil.copyfile("file", "copy")
shutil.rmtree("moved")
for missing in ("/none", "none/" * 60):
    with suppress(OSError):
        os.open(missing, os.O_RDONLY | os.O_DIRECTORY)
os.memfd_create("memory")
with tempfile.TemporaryFile(dir=".") as file:
    file.write(b"x" * 70_000)
