"""Tests through a real nginx: TLS, a path prefix, a password, the stream."""

import base64
import getpass
import json
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import trustme
from twisted.trial.unittest import SynchronousTestCase
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.system.servers import PATIENCE_S, ROOT, Server, free_port, need, serving, wait_for

PASSWORD = {"Authorization": "Basic " + base64.b64encode(b"alice:secret").decode()}
_MAIN = """
user {user};
daemon off;
error_log {folder}/error.log;
pid {folder}/pid;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


class ProxyTests(SynchronousTestCase):
    """The site that deploy/nginx.conf describes."""

    def setUp(self) -> None:
        """Start nginx before a server, with another port and a certificate made for this."""
        need("nginx", "openssl")
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.port = free_port()
        self.server = self._served("--ws-token", "sesame", "--allow-host", "localhost")
        self._certify()
        self._configure()
        nginx = subprocess.Popen(["nginx", "-c", f"{self.folder}/nginx.conf", "-p", self.folder])
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)
        wait_for(self._is_up)

    def _served(self, *options: str) -> Server:
        served = serving(*options)
        self.addCleanup(served.__exit__, None, None, None)
        return served.__enter__()

    def _certify(self) -> None:
        authority = trustme.CA()
        issued = authority.issue_cert("localhost")
        issued.cert_chain_pems[0].write_to_path(self.folder / "syswatch.crt")
        issued.private_key_pem.write_to_path(self.folder / "syswatch.key")
        self.tls = ssl.create_default_context()
        authority.configure_trust(self.tls)
        hashed = subprocess.run(
            ["openssl", "passwd", "-apr1", "secret"], capture_output=True, text=True, check=True
        )
        (self.folder / "syswatch.htpasswd").write_text(f"alice:{hashed.stdout}")

    def _configure(self) -> None:
        site = (ROOT / "deploy" / "nginx.conf").read_text()
        for ours, here in (
            ("127.0.0.1:8080", f"127.0.0.1:{self.server.port}"),
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
            ("watch.example.com", "localhost"),
            ("/etc/nginx/", f"{self.folder}/"),
            ("/var/log/nginx/", f"{self.folder}/"),
        ):
            self.assertIn(ours, site)
            site = site.replace(ours, here)
        (self.folder / "site.conf").write_text(site)
        (self.folder / "nginx.conf").write_text(
            _MAIN.format(folder=self.folder, user=getpass.getuser())
        )

    def _is_up(self) -> bool:
        try:
            return self.ask("healthz", PASSWORD)[0] == 200
        except OSError:
            return False

    def ask(self, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
        """Ask nginx for a path below the prefix."""
        url = f"https://localhost:{self.port}/syswatch/{path}"
        asked = urllib.request.Request(url, headers=headers)
        try:
            with urllib.request.urlopen(asked, context=self.tls, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def test_through(self) -> None:
        """Behind a password, below a prefix and over TLS all is as it is without."""
        self.assertEqual(401, self.ask("api/stats", {})[0])
        for path in ("api/stats", "api/syscall/openat", "api?per_page=100", "healthz"):
            self.assertEqual(self.server.ask(f"/{path}"), self.ask(path, PASSWORD))
        # Led to the slash at its end, and that within the prefix.
        self.assertIn(b"goroutine", self.ask("debug/pprof", PASSWORD)[1])

        url = f"wss://localhost:{self.port}/syswatch/stream"
        page = Origin(f"https://localhost:{self.port}")
        with connect(
            f"{url}?token=sesame", ssl=self.tls, additional_headers=PASSWORD, origin=page
        ) as client:
            for _ in range(2):
                stats = json.loads(client.recv(PATIENCE_S))
                self.assertEqual(self.server.json("/api/stats"), stats)

        for address, origin, headers, status in (
            (f"{url}?token=sesame", page, {}, 401),
            (f"{url}?token=wrong", page, PASSWORD, 401),
            (url, page, PASSWORD, 401),
            (f"{url}?token=sesame", Origin("https://evil.example"), PASSWORD, 403),
        ):
            with self.assertRaises(InvalidStatus) as refused:
                connect(address, ssl=self.tls, additional_headers=headers, origin=origin).recv()
            self.assertEqual(status, refused.exception.response.status_code)

        log = wait_for((self.folder / "syswatch.log").read_text)
        self.assertIn("/syswatch/stream", log)
        self.assertNotIn("sesame", log)
