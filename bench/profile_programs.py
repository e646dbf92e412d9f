"""The programs that bench/profiles.py runs under their own profile."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import attrs
from diff_programs import PROGRAMS as COMPARED
from diff_programs import PYTHON, Program
from profile_sources import FILES


@attrs.frozen
class Confined:
    """A program, whose command is all that is confined, and what uses it from outside."""

    program: Program
    # A script for the shell that runs beside the program, with functions that wait for it.
    outside: str = ""
    # Whether the program ends with the script, and how: by default it ends when it is done.
    ending: str = "true"

    @property
    def name(self) -> str:
        """How it is called."""
        return self.program.name


_COMPARED = {each.name: each for each in COMPARED}
_URL = "http://127.0.0.1:$FREE_PORT/"
_LOADED = f"wrk -t1 -c20 -d1s {_URL}numbers"
_READY = f"until curl -s -o /dev/null {_URL}numbers; do sleep 0.02; done"
_CURL = (
    "curl -sS --cacert certificate.pem -o got https://localhost:$TLS_PORT/numbers"
    " --next -sS --cacert certificate.pem -d name=value -o got https://localhost:$TLS_PORT/posted"
)
_REDIS = "redis-cli -p $FREE_PORT"
_REDIS_USE = (
    f"until {_REDIS} ping; do sleep 0.02; done; {_REDIS} set key value; {_REDIS} lpush list 1 2 3;"
    " redis-benchmark -p $FREE_PORT -n 300 -q -t set,get,lrange_100; "
    f"{_REDIS} bgsave; {_REDIS} bgrewriteaof; {_REDIS} save || true; {_REDIS} info"
)

PROGRAMS = (
    Confined(
        Program(
            "nginx",
            "nginx -p $PWD -c nginx.d/nginx.conf -g 'daemon off;'",
            _COMPARED["nginx and curl"].before,
            "nginx wrk curl",
        ),
        f"{_READY}; {_LOADED}; kill -HUP $(cat nginx.d/pid); sleep 0.1; {_READY}",
        "kill -QUIT $(cat nginx.d/pid)",
    ),
    Confined(
        Program("python server", f"{PYTHON} web.py $FREE_PORT", "rm -f pid", "wrk curl"),
        f"{_READY}; {_LOADED}; curl -s -d name=value {_URL}posted",
        "kill -TERM $(cat pid)",
    ),
    Confined(
        Program("node", "node web.js", "rm -f pid", "node wrk curl"),
        f"{_READY}; {_LOADED}; curl -s -d name=value {_URL}posted",
        "kill -TERM $(cat pid)",
    ),
    Confined(Program("java", "java -Xmx64m -cp . Work", "rm -f written", "java javac")),
    Confined(
        Program("git clone", "git clone -q file://$PWD/repository cloned", "rm -rf cloned", "git")
    ),
    Confined(_COMPARED["gcc"]),
    Confined(
        Program("sqlite3", "sqlite3 -bail new.db '.read work.sql'", "rm -f new.db*", "sqlite3")
    ),
    Confined(
        Program(
            "redis",
            "redis-server --port $FREE_PORT --dir redis.d --appendonly yes --loglevel warning",
            "rm -rf redis.d; mkdir redis.d",
            "redis-server redis-cli redis-benchmark",
        ),
        _REDIS_USE,
        f"{_REDIS} shutdown save",
    ),
    Confined(Program("curl with TLS", _CURL, "rm -f got", "curl openssl")),
    Confined(Program("bash", "bash script.sh", "rm -rf made copied", "bash md5sum")),
)


def make_files(folder: Path, programs: Sequence[Confined]) -> None:
    """Write what only these programs work on, beside the surroundings of the compared ones."""
    for name, text in FILES.items():
        (folder / name).write_text(text.lstrip())
    names = {each.name for each in programs}
    if "java" in names:
        subprocess.run(["javac", "-d", ".", "Work.java"], cwd=folder, check=True)
