"""Tests of a server that changes its user, and may not read its own files then."""

import json
import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

_PROGRAM = """
import builtins, io, json, re, sys
from pathlib import Path

from syswatch.profiles.formats import CONTENTS
from tests.web.served import Served, request

served = Served()
if sys.argv[1] == "prepared":
    served.web.prepare()


class Refusal:
    def find_spec(self, name, *_):
        raise ModuleNotFoundError(f"not permitted: {name}")


def refuse(path, *_, **__):
    raise PermissionError(f"not permitted: {path}")


sys.meta_path.insert(0, Refusal())
package = Path(sys.modules["syswatch"].__file__).parent
really_open = io.open


def open_others(file, *rest, **options):
    if isinstance(file, (str, Path)) and Path(file).is_relative_to(package):
        refuse(file)
    return really_open(file, *rest, **options)


builtins.open = io.open = open_others
variables = {"name": "read", "metric": "count"}
paths = [
    re.sub(r"{(\\w+)}", lambda found: variables.get(found[1], "1"), route.template)
    for route in served.web.root.router.routes
    # They measure a real reactor.
    if not route.path.startswith("/debug/pprof/")
]
static = ["/static/dashboard.js", "/static/look.css", "/syscall/no-such-call", "/no-such-path"]
formats = [f"/api/profile?format={each}" for each in CONTENTS]
# Some answer later.
answers = {each: served.connect().send(request(each)) for each in (*paths, *static, *formats)}
failed = [path for path, answer in answers.items() if answer.startswith(b"HTTP/1.1 500")]
print(json.dumps([len(paths), failed]))
"""


class PreparedTests(SynchronousTestCase):
    """What is imported and read for the first request that needs it."""

    def failures(self, how: str) -> tuple[int, list[str]]:
        """Return how many paths there are, and which fail without access to any file."""
        command = (sys.executable, "-c", _PROGRAM, how)
        done = subprocess.run(command, check=True, capture_output=True)
        number, failed = json.loads(done.stdout.splitlines()[-1])
        return number, failed

    def test_prepared(self) -> None:
        """Everything works if it was prepared."""
        number, failed = self.failures("prepared")
        self.assertEqual([], failed)
        self.assertGreater(number, 40)

    def test_not_prepared(self) -> None:
        """Otherwise much fails, so the test finds what is missing."""
        _, failed = self.failures("unprepared")
        self.assertLessEqual({"/", "/api/syscall/read", "/no-such-path"}, set(failed))
