"""The programs whose runs bench/diff.py compares: what real programs do in many different ways."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs
import common
import diff_wrapper
from diff_sources import FILES

PYTHON = sys.executable
# The usual place of git's hooks and settings is not that of the user.
GIT = "git -c user.name=bench -c user.email=bench@example.org -c commit.gpgsign=false"


@attrs.frozen
class Program:
    """A command for the shell, and another one that makes its surroundings before each run."""

    name: str
    script: str
    before: str = ""
    # The programs that must be installed, separated by blanks.
    needs: str = ""
    # Its part of the disk, on which fsync takes so many milliseconds.
    fsync_ms: int = 0

    @property
    def is_installed(self) -> bool:
        """Return whether all that it needs is installed; print what is left out if not."""
        return all(common.has(each, self.name) for each in self.needs.split())


_ASK = "curl -s -o got http://127.0.0.1:$PORT/numbers"
_NGINX = "nginx -p $PWD -c nginx.d/nginx.conf"
_ASK_NGINX = _ASK.replace("$PORT", "$FREE_PORT")
_PIPES = (
    "for i in 1 2 3 4 5; do seq 1 20000 | grep 7 | sort -n | head -50 | wc -l; done;"
    " ls /usr/lib | tr a-z A-Z | cut -c1-5 | uniq -c | tail -3"
)
_LOOP = "for i in $(seq 20); do x=$(echo $i | md5sum); done; cat <<< $x; sleep 0.05"
_PERL = (
    "my ($file, $name) = File::Temp::tempfile(UNLINK => 1);"
    ' print $file "x" x 10000; close $file; print strftime("%F", localtime)'
)
# git reads files again that are as new as its index.
_CHECKOUT = (
    "rm -rf work; git clone -q repository work; find work -path work/.git -prune -o -type f -exec"
    " touch -d 2020-01-01 {} +; git -C work status; echo new > work/new;"
    " touch -d 2020-01-01 work/new"
)
# With another date, it has another hash, whose directory may exist already: another run indeed.
_DATED = "export GIT_AUTHOR_DATE=2020-01-01T12:00:00Z GIT_COMMITTER_DATE=2020-01-01T12:00:00Z"
_COMMIT = f"{_DATED}; cd work; git add new; {GIT} commit -q -m new"

PROGRAMS = (
    Program("ls", "ls -lR /usr/share/doc/git /etc"),
    Program("find, xargs and grep", "find repository -name '*.txt' -print0 | xargs -0 -n50 grep 3"),
    Program("shell with pipelines", _PIPES),
    Program("bash", f"bash -c '{_LOOP}'", needs="bash md5sum"),
    Program("cp", "cp -r repository copy", "rm -rf copy"),
    Program("tar and gzip", "tar czf new.tgz repository", "rm -f new.tgz", "tar gzip"),
    Program("sort", "sort --parallel=2 -S1M -n numbers -o sorted", needs="sort"),
    Program("xz", "xz -T2 -0 copied", "cp numbers copied; rm -f copied.xz", "xz"),
    Program("git status", "git -C repository status", needs="git"),
    Program("git log", "git -C repository log -p --stat", needs="git"),
    Program("git clone", "git clone -q repository cloned", "rm -rf cloned", "git"),
    Program("git commit", _COMMIT, _CHECKOUT, "git"),
    Program("gcc", "gcc -O2 -pthread -o new.out threads.c", "rm -f new.out", "gcc"),
    Program("make", "make -s -j2 program", "rm -f program *.o", "make gcc"),
    Program("threads of C", "./threads", needs="gcc"),
    Program("go", "./goroutines", needs="go"),
    Program("node", "node server.js", needs="node"),
    Program("perl", f"perl -MFile::Temp -MPOSIX -e '{_PERL}'", needs="perl"),
    Program("openssl", "openssl genrsa -out key.pem 1024", needs="openssl"),
    Program("curl", ";".join([_ASK] * 3), needs="curl"),
    # It listens before it leaves the command alone.
    Program(
        "nginx and curl",
        f"{_NGINX}; {_ASK_NGINX}; {_NGINX} -s quit",
        "rm -rf nginx.d; mkdir nginx.d; sed s/PORT/$FREE_PORT/ nginx.conf > nginx.d/nginx.conf",
        "nginx curl",
    ),
    Program("python imports", f"{PYTHON} -c 'import asyncio, decimal, http.client, json, sqlite3'"),
    Program("python threads", f"{PYTHON} threads.py"),
    Program("python asyncio", f"{PYTHON} echo.py"),
    Program("python files", f"{PYTHON} temporary.py"),
    Program("python processes", f"{PYTHON} workers.py"),
    Program("python server", f"{PYTHON} server.py"),
    Program("python sqlite", f"{PYTHON} database.py", "rm -f new.db*"),
    Program("fsync", f"{PYTHON} sync.py synced", "rm -f synced"),
    Program("slow fsync", f"{PYTHON} sync.py slow/file", fsync_ms=50),
)


def make_surroundings(folder: Path, programs: Sequence[Program]) -> None:
    """Write what the programs work on."""
    (folder / diff_wrapper.KNOWN).touch()
    needs = {each for program in programs for each in program.needs.split()}
    for name, text in FILES.items():
        (folder / name).write_text(text.lstrip())
    (folder / "slow").mkdir()
    # Each number once, in an order that is always the same.
    numbers = (str(each * 7919 % 100_003) for each in range(100_000))
    (folder / "numbers").write_text("\n".join(numbers))
    (folder / "main.c").write_text("int f1(int); int main(void) { return f1(0); }\n")
    for number in range(1, 5):
        text = f'#include <stdio.h>\nint f{number}(int x) {{ return printf("%d", x) * 0; }}\n'
        (folder / f"f{number}.c").write_text(text)
    _make_repository(folder / "repository", with_git="git" in needs)
    if "gcc" in needs:
        _run("gcc -O1 -pthread -o threads threads.c", folder)
    if "go" in needs:
        _run("go build -o goroutines goroutines.go", folder)


def _make_repository(folder: Path, *, with_git: bool) -> None:
    """Make a directory of some hundred files, and several commits of them."""
    folder.mkdir()
    if with_git:
        _run("git init -q", folder)
    for commit in range(5):
        for number in range(60):
            file = folder / f"part{number % 7}" / f"file{commit * 60 + number}.txt"
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(f"{line * number}\n" for line in range(100)))
        if with_git:
            _run(f"git add -A; {GIT} commit -q -m 'Commit {commit}'", folder)


def _run(script: str, folder: Path) -> None:
    shell = shutil.which("sh") or "/bin/sh"
    subprocess.run([shell, "-c", script], cwd=folder, check=True, stdout=subprocess.DEVNULL)
