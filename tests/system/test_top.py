"""Tests of `syswatch top` with servers."""

import socket
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import attrs
import msgspec
import trustme
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.views import record_builders, time_builders, time_records
from syswatch.views.records import ObjectName, encode
from syswatch.web import urls
from tests.hostile import delta_of, forbidden, started_of
from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, running, wait_for
from tests.system.shell import run


def top(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `syswatch top` without a terminal, which prints once."""
    return run([*SYSWATCH, "top", *words], timeout=PATIENCE_S)


def _top_of(handler: type[BaseHTTPRequestHandler]) -> subprocess.CompletedProcess[str]:
    """Run `syswatch top` against a server of the test."""
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        result = top(f"localhost:{server.server_address[1]}")
        server.shutdown()
        serving.join()
    return result


def _thread(text: str) -> time_records.CurrentThread:
    """Return a thread that has a text in all its facts."""
    return time_records.CurrentThread(
        tid=7,
        pid=7,
        comm=text,
        state=text,
        reason=text,
        call=text,
        args=text,
        object=ObjectName(id="1", kind="file", name=text),
        since="",
        elapsed=None,
    )


class TopTests(SynchronousTestCase):
    """The output for a server, and the errors."""

    def test_numbers(self) -> None:
        """The numbers are the server's; a token is required, and must be right."""
        with running(
            [*SYSWATCH, "stats", "--serve", ":0", "--http-token", "sesame", str(LOG)]
        ) as server:
            bearer = {"Authorization": "Bearer sesame"}
            wait_for(lambda: server.ask("/readyz", bearer)[0] == 200)
            url = f"localhost:{server.port}"
            shown = top("--http-token", "sesame", url)
            self.assertEqual((0, ""), (shown.returncode, shown.stderr))
            self.assertRegex(shown.stdout, r"\nopenat +FS +188 +24 ")
            for words, kind in (((), "a"), (("--http-token", "wrong"), "another")):
                refused = top(*words, url)
                self.assertEqual(1, refused.returncode)
                self.assertIn(f"requires {kind} token (use --http-token TOKEN)\n", refused.stderr)

    def test_cannot_connect(self) -> None:
        """A server that cannot be reached is one sentence, with the reason."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            closed = listener.getsockname()[1]
        for url, reason in (
            (f"127.0.0.1:{closed}", "Connection refused"),
            ("nowhere.invalid:80", "unknown host"),
        ):
            result = top(url)
            self.assertEqual(1, result.returncode)
            self.assertEqual(
                f"syswatch: cannot connect to http://{url}/: {reason}\n", result.stderr
            )

    def test_no_server(self) -> None:
        """A server that closes the connection early is one sentence."""
        for answer in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"):
            self.assert_no_server(answer)

    def assert_no_server(self, answer: bytes) -> None:
        """Check the sentence about a server that sends an answer and closes the connection."""
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def hang_up() -> None:
                with listener.accept()[0] as connection:
                    connection.recv(1 << 16)
                    connection.sendall(answer)

            port = listener.getsockname()[1]
            hanging_up = Thread(target=hang_up)
            hanging_up.start()
            result = top(f"localhost:{port}")
            hanging_up.join()

        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stderr, r"^syswatch: unexpected answer from \S+: [^\[<]+[^;\s]\n$")

    def test_hostile(self) -> None:
        """Text from a server is shown escaped."""
        text = "\x1b]0;title\x07\x9b2J\u202e\n"
        aggregator = Aggregator()
        aggregator.started(started_of(text))
        aggregator.add(delta_of(text))
        aggregator.failed(text)
        snapshot = aggregator.snapshot()
        status = attrs.evolve(snapshot, trouble=text)
        answers = {
            urls.STATUS: record_builders.status(status),
            urls.STATS: record_builders.stats(snapshot),
            f"{urls.TIME}?since={10**15}": msgspec.structs.replace(
                time_builders.time(snapshot), verdict=text
            ),
            urls.NOW: time_records.Now(time="", total=1, threads=[_thread(text)]),
        }

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = encode(answers[self.path])
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        result = _top_of(Handler)

        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertEqual(set(), forbidden(result.stdout, but="\n"))
        # Verdict, command line, backend, flags, trouble, the name of a call; of a thread, its name,
        # state, call and object.
        self.assertEqual(10, result.stdout.count("\\x1b]0;title\\x07\\u009b2J\\u202e\\n"))

    def test_without_length(self) -> None:
        """An answer without a length is read until the connection ends; half of one is refused."""
        snapshot = Aggregator().snapshot()
        answers = {
            urls.STATUS: record_builders.status(snapshot),
            urls.STATS: record_builders.stats(snapshot),
        }
        left_out = 0

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path not in answers:
                    self.send_error(404)
                    return
                body = encode(answers[self.path])
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body[: len(body) - left_out])

            def log_message(self, *_: object) -> None:
                pass

        whole = _top_of(Handler)
        left_out = 1
        half = _top_of(Handler)

        self.assertEqual((0, ""), (whole.returncode, whole.stderr))
        self.assertIn("0 calls", whole.stdout)
        # Nor does this server know of times.
        self.assertIn("the server is too old to tell where the time goes\n", whole.stdout)
        self.assertEqual((1, ""), (half.returncode, half.stdout))
        self.assertIn("is not a syswatch server: Input data was truncated", half.stderr)

    def test_untrusted(self) -> None:
        """A certificate that is not trusted is refused until it is given."""
        authority = trustme.CA()
        issued, authority_file = authority.issue_cert("localhost"), self.mktemp()
        authority.cert_pem.write_to_path(authority_file)
        key = self.mktemp()
        issued.private_key_and_cert_chain_pem.write_to_path(key)
        where = f"ssl:0:interface=127.0.0.1:privateKey={key}"
        with running([*SYSWATCH, "stats", "--serve", where, str(LOG)]) as server:
            url = f"https://localhost:{server.port}/"
            refused = top(url)
            trusted = run(["env", f"SSL_CERT_FILE={authority_file}", *SYSWATCH, "top", url])
            server.end()

        sentence = f"syswatch: unexpected answer from {url}: certificate verify failed\n"
        self.assertEqual((1, sentence), (refused.returncode, refused.stderr))
        self.assertEqual((0, ""), (trusted.returncode, trusted.stderr))
