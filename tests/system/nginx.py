"""A real nginx with the site that deploy/nginx.conf describes."""

import base64
import getpass
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs
import trustme

from tests.system.servers import PATIENCE_S, ROOT, free_port, wait_for

USER, WORD = "alice", "secret"
PASSWORD = {"Authorization": "Basic " + base64.b64encode(f"{USER}:{WORD}".encode()).decode()}
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


@attrs.frozen
class Nginx:
    """A running nginx and a client for it."""

    folder: Path
    port: int
    tls: ssl.SSLContext

    @property
    def log(self) -> str:
        """Return its access log."""
        return (self.folder / "syswatch.log").read_text()

    def ask(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Request a path below the prefix."""
        url = f"https://localhost:{self.port}/syswatch/{path}"
        asked = urllib.request.Request(url, headers=dict(headers))
        try:
            with urllib.request.urlopen(asked, context=self.tls, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def is_up(self) -> bool:
        """Return whether it answers, and the server behind it, too."""
        try:
            return self.ask("healthz", PASSWORD)[0] == 200
        except OSError:
            return False


@contextmanager
def proxying(folder: Path, behind: str, *, passing_on_passwords: bool = False) -> Iterator[Nginx]:
    """Run the site as a proxy for a port, on another port and with a certificate of its own."""
    folder.mkdir()
    nginx = Nginx(folder, free_port(), ssl.create_default_context())
    _certify(nginx)
    _configure(nginx, behind, passing_on_passwords=passing_on_passwords)
    process = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-p", folder])
    try:
        wait_for(nginx.is_up)
        yield nginx
    finally:
        process.terminate()
        process.wait()


def _certify(nginx: Nginx) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.cert_chain_pems[0].write_to_path(nginx.folder / "syswatch.crt")
    issued.private_key_pem.write_to_path(nginx.folder / "syswatch.key")
    authority.configure_trust(nginx.tls)
    hashed = subprocess.run(
        ["openssl", "passwd", "-apr1", WORD], capture_output=True, text=True, check=True
    )
    (nginx.folder / "syswatch.htpasswd").write_text(f"{USER}:{hashed.stdout}")


def _configure(nginx: Nginx, behind: str, *, passing_on_passwords: bool) -> None:
    site = (ROOT / "deploy" / "nginx.conf").read_text()
    dropped = 'proxy_set_header Authorization "";'
    for ours, here in (
        # Without this line nginx passes the header on as it came.
        (dropped, "" if passing_on_passwords else dropped),
        ("127.0.0.1:8080", f"127.0.0.1:{behind}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{nginx.port} ssl"),
        ("watch.example.com", "localhost"),
        ("/etc/nginx/", f"{nginx.folder}/"),
        ("/var/log/nginx/", f"{nginx.folder}/"),
    ):
        if ours not in site:
            raise AssertionError(f"deploy/nginx.conf has no {ours}")
        site = site.replace(ours, here)
    (nginx.folder / "site.conf").write_text(site)
    main = _MAIN.format(folder=nginx.folder, user=getpass.getuser())
    (nginx.folder / "nginx.conf").write_text(main)
