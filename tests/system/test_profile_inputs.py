"""What `syswatch profile` reads besides recordings and logs, and what it says of files."""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from twisted.trial.unittest import SkipTest

from syswatch.model.evidence import EvidenceKey, EvidenceTally
from syswatch.profiles.always import ALWAYS
from syswatch.profiles.basis import Basis
from syswatch.profiles.formats import json_form
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.untraced import WITHOUT_START, left_out
from tests.system.profile_case import ProfileCase
from tests.system.servers import need
from tests.tracer.strace import require_tracing

_EVIDENCE = {
    EvidenceKey("read", program="cat"): EvidenceTally(3, 1),
    EvidenceKey("socket", (16, 3, 0), program="ip"): EvidenceTally(1, 2),
}
# One whose files were not followed.
_BASIS = Basis(_EVIDENCE, written=None)
_DOCUMENT = json_form.write(needed(_EVIDENCE, Wanted()), _BASIS, os.uname().machine).content
_DOCKER = {
    "defaultAction": "SCMP_ACT_ERRNO",
    "syscalls": [
        {"names": ["read", *ALWAYS], "action": "SCMP_ACT_ALLOW"},
        {
            "names": ["socket"],
            "action": "SCMP_ACT_ALLOW",
            "includes": {"caps": ["CAP_NET_ADMIN"], "minKernel": "4.8"},
        },
    ],
}


class InputTests(ProfileCase):
    """Inputs and targets."""

    def setUp(self) -> None:
        """Write the profile of a server."""
        super().setUp()
        (self.folder / "server.json").write_bytes(_DOCUMENT)

    def test_document(self) -> None:
        """A profile of a server has the calls, so it is an input of every level."""
        exact = self.profile("--exact", "--format", "json", "-o", "exact.json", "server.json")
        self.assertEqual(0, exact.returncode, exact.stderr)
        self.assertEqual(0, self.profile("check", "exact.json", "server.json").returncode)
        broad = self.profile("--broad", "server.json")
        self.assertIn("--broad: likely calls are missing: it is not known which", broad.stderr)
        bare = json.loads(_DOCUMENT)
        del bare["Evidence"]
        (self.folder / "bare.json").write_text(json.dumps(bare))
        refused = self.profile("bare.json")
        self.assertEqual((2, ""), (refused.returncode, refused.stdout))
        self.assertIn("does not contain the calls that it was made of", refused.stderr)

    def test_server(self) -> None:
        """A running server is an input, and the profile of its calls a side of a comparison."""
        with _serving(200, _DOCUMENT) as url:
            shown = self.profile("--exact", url)
            self.assertRegex(shown.stdout, r"(?m)^socket +address family AF_NETLINK")
            self.assertEqual(0, self.profile("check", "server.json", url).returncode)
            self.assertEqual(0, self.profile("diff", "server.json", url).returncode)
            self.assertEqual(1, self.profile("diff", "--exact", "server.json", url).returncode)
        useless = self.profile("diff", "--exact", "server.json", "server.json")
        self.assertEqual(2, useless.returncode)
        self.assertIn("--exact has no effect with profiles", useless.stderr)

    def test_server_without_profile(self) -> None:
        """A server that keeps no evidence is told from one that does not answer."""
        with _serving(404, b"{}") as url:
            refused = self.profile(url)
        self.assertEqual((2, ""), (refused.returncode, refused.stdout))
        self.assertIn("(is it traced with --profile?)", refused.stderr)

    def test_untraced(self) -> None:
        """What a trace leaves out, and a missing start, is said in the words of the page."""
        part, start = ('1 read(0, "", 1) = 0\n', '1 execve("/bin/true", ["true"], 0x7f) = 0\n')
        (self.folder / "part.log").write_text(part)
        (self.folder / "whole.log").write_text(start + part)
        alone = self.profile("part.log")
        self.assertEqual(0, alone.returncode)
        self.assertIn(f"part.log: {WITHOUT_START}", alone.stderr)
        # With `strace -ff`, only one of the logs has the start.
        for logs in (("whole.log",), ("part.log", "whole.log")):
            self.assertNotIn("start of the program", self.profile(*logs).stderr)
        require_tracing()
        options = ("-e", "trace=%file", "--record", "app.rec", "--backend", "ptrace")
        self.syswatch("run", *options, "--", "true").check_returncode()
        found = self.profile("app.rec")
        self.assertIn(f"app.rec: {left_out('-e trace=%file')}", found.stderr)
        self.assertNotIn("start of the program", found.stderr)

    def test_target(self) -> None:
        """Entries of Docker's profiles are those for the named container and kernel."""
        (self.folder / "docker.json").write_text(json.dumps(_DOCKER))
        check = ("check", "docker.json", "server.json")
        plain = self.profile(*check)
        self.assertEqual(1, plain.returncode, plain.stderr)
        self.assertIn("its conditions are those of Linux ", plain.stderr)
        self.assertEqual(0, self.profile(*check, "--cap", "NET_ADMIN").returncode)
        older = self.profile(*check, "--cap", "NET_ADMIN", "--kernel", "4.4")
        self.assertEqual(1, older.returncode, older.stderr)

    def test_broad(self) -> None:
        """What the loaded files import is permitted, with the file and the function."""
        require_tracing()
        self.record("ls", "/")
        broad = self.profile("--broad", "app.rec")
        self.assertRegex(broad.stdout, r"likely: /\S*/ls imports \w+\(\)")
        usual = self.profile("app.rec")
        self.assertNotIn("likely:", usual.stdout)

    def test_paths(self) -> None:
        """A refused call is named with its process, its file and its arguments."""
        require_tracing()
        self.record("mkdir", "made")
        (self.folder / "none.json").write_text('{"defaultAction": "SCMP_ACT_ERRNO"}')
        checked = self.profile("check", "none.json", "app.rec")
        self.assertRegex(
            checked.stdout,
            r"  mkdir, made once by mkdir, .*\n    once by process \d+ \(mkdir\) on"
            rf" {self.folder}/made\n    such as mkdir\(\"made\", 0777\), by thread \d+\n",
        )

    def test_unit(self) -> None:
        """The files that were written are writable in the unit, which systemd accepts."""
        require_tracing()
        self.record("sh", "-c", "echo a > kept; mkdir d; rmdir d")
        ended = self.profile("--format", "systemd", "-o", "app.conf", "app.rec")
        self.assertIn("opened for writing but not written", ended.stderr)
        lines = (self.folder / "app.conf").read_text().splitlines()
        self.assertIn("ProtectSystem=strict", lines)
        self.assertIn(f'ReadWritePaths="-{self.folder}"', lines)
        need("systemd-analyze")
        unit = self.folder / "app.service"
        unit.write_text("\n".join([*lines, "ExecStart=/bin/true", ""]))
        verified = self.systemd("verify", "--man=no", str(unit))
        self.assertEqual((0, ""), (verified.returncode, verified.stderr))
        rated = self.systemd("security", "--offline=yes", str(unit))
        if "Unknown" in rated.stderr or "unrecognized" in rated.stderr:
            raise SkipTest("this systemd-analyze cannot rate units without systemd")
        self.assertIn("ProtectSystem=", rated.stdout, rated.stderr)

    def systemd(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run `systemd-analyze`."""
        return subprocess.run(
            [shutil.which("systemd-analyze") or "systemd-analyze", *words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SYSTEMD_PAGER": "", "SYSTEMD_LOG_LEVEL": "warning"},
        )


@contextmanager
def _serving(status: int, body: bytes) -> Iterator[str]:
    """Serve what a syswatch server answers for the profile; yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer."""
            found = self.path == "/api/profile?format=json"
            self.send_response(status if found else 500)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
