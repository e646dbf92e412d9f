"""Programs that do the same in every run, as far as possible."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from tests.tracer.programs import program

_SAMPLES = Path(__file__).parent / "scripts"
# Git reads the clock and the user's configuration, Python randomizes hashes.
ENVIRONMENT: Mapping[str, str] = {
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_NAME": "A",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
    "PYTHONHASHSEED": "0",
}
_TREE = """
mkdir -p tree/one/two tree/three
for name in a b one/c one/two/d three/e; do seq 1 400 >tree/$name; done
ln -s a tree/link
chmod 640 tree/b
find tree -exec touch -h -d 2024-01-01 {} +
"""
_REPOSITORY = f"{_TREE}\ngit init -q . && git add tree && git commit -q -m first"
_PROJECT = r"""
printf 'int twice(int n) { return 2 * n; }\n' >twice.c
printf 'int twice(int);\nint main(void) { return twice(0); }\n' >main.c
printf 'program: main.o twice.o\n\tcc -o $@ $^\n%%.o: %%.c\n\tcc -c -o $@ $<\n' >Makefile
"""


@attrs.frozen
class Program:
    """A command, its requirements, and its preparation in an empty directory."""

    # Called when all requirements are met; compiles some programs.
    command: Callable[[], Sequence[str]]
    needs: tuple[str, ...] = ()
    prepare: str = ":"

    @classmethod
    def shell(cls, script: str, *needs: str, prepare: str = ":") -> "Program":
        """Return a program that is run by a shell."""
        return cls(lambda: ("bash", "-c", script), ("bash", *needs), prepare)

    @classmethod
    def python(cls, name: str) -> "Program":
        """Return a script of the directory beside this module."""
        return cls(lambda: (sys.executable, "-I", "-S", "-B", str(_SAMPLES / f"{name}.py")))

    @classmethod
    def compiled(cls, name: str, *arguments: str) -> "Program":
        """Return one of the C programs of these tests."""
        return cls(lambda: (program(name), *arguments), ("gcc",))


def programs() -> Mapping[str, Program]:
    """Return all programs by name."""
    shell = Program.shell
    return {
        "ls": shell("ls -lR tree; ls /nowhere", prepare=_TREE),
        "cat": shell("cat tree/a tree/none", prepare=_TREE),
        "cp": shell("cp -a tree copy; mv copy moved; rm -r moved", prepare=_TREE),
        "tar": shell(
            "tar czf all.tgz tree && tar xzf all.tgz -C /tmp/..$PWD", "tar", "gzip", prepare=_TREE
        ),
        "gzip": shell("gzip tree/a && gunzip tree/a.gz", "gzip", prepare=_TREE),
        "find": shell(
            "find tree -name '*c' -newer tree/a -printf '%p %s\\n'", "find", prepare=_TREE
        ),
        "text": shell(
            "sort -rn tree/a | uniq -c | sed s/1/2/ | awk '{n += $2} END {print n}';"
            "grep -rl 39 tree; wc -l tree/a; cut -c1 tree/b | head -3; tr 1 2 <tree/a | tail -1",
            "awk",
            "sed",
            "grep",
            prepare=_TREE,
        ),
        "machine": shell(
            "uname -a; id; df .; du -s tree; stat tree; nproc; hostname; date", prepare=_TREE
        ),
        "git commit": shell(
            "echo more >>tree/a; git commit -q -a -m second", "git", prepare=_REPOSITORY
        ),
        "git status": shell("git status; git log -1; git diff", "git", prepare=_REPOSITORY),
        "gcc": shell("gcc -O1 -c twice.c", "gcc", prepare=_PROJECT),
        "make": shell("make -s", "make", "gcc", prepare=_PROJECT),
        "bash": shell(
            "trap 'echo caught' USR1; kill -USR1 $$; (exit 3) & wait $!; x=$(echo hi | cat);"
            "read y <<<here; exec 5<>new; echo $x $y >&5; ulimit -n; umask; sleep 0.01; exit 4"
        ),
        "openssl": shell(
            "openssl dgst -sha256 tree/a; openssl enc -base64 -in tree/b", "openssl", prepare=_TREE
        ),
        "perl": shell(
            "perl -e 'print map { $_ * 2 } 1 .. 9; open F, \"<none\"; fork; wait'", "perl"
        ),
        "netlink": shell("ip addr; ip route; ss -tln", "ip", "ss"),
        "ifconfig": shell("ifconfig lo", "ifconfig"),
        "curl": shell("curl -s http://127.0.0.1:1/", "curl"),
        **{
            f"python {name}": Program.python(name)
            for name in ("database", "files", "http", "processes", "signals", "sockets", "threads")
        },
        **{
            name: Program.compiled(name)
            for name in ("compat", "leader_exit", "odd_clone", "refused", "seccomp_killed", "vfork")
        },
    }
