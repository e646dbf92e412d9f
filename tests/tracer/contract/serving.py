"""Tests with a server under load: attaching and detaching do not disturb its clients."""

import getpass
import subprocess
import threading
import urllib.request
from pathlib import Path

import attrs

from syswatch.model.messages import Detach, Ended
from tests.system.servers import PATIENCE_S, children, free_port, is_waiting, need, wait_for
from tests.unmeasured import unmeasured

from .case import BackendCase
from .kernel_counts import accounting, check

_CONFIGURATION = """
user {user};
worker_processes 2;
daemon off;
error_log {folder}/error.log;
pid {folder}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder};
    }}
}}
"""
_PAGE = b"x" * 10_000


@attrs.define
class Client:
    """Requests a page again and again until it is stopped."""

    url: str
    answered: int = 0
    trouble: list[str] = attrs.field(factory=list)
    _enough: threading.Event = attrs.field(factory=threading.Event)
    _thread: threading.Thread = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        while not self._enough.is_set():
            try:
                with urllib.request.urlopen(self.url, timeout=PATIENCE_S) as answer:
                    if answer.read() != _PAGE:
                        raise OSError("the page is not whole")  # noqa: TRY301
                self.answered += 1
            except OSError as error:
                self.trouble.append(str(error))

    def stop(self) -> None:
        """Finish the last request."""
        self._enough.set()
        self._thread.join()


class ServerContract(BackendCase):
    """nginx with two workers, and clients that send requests continuously."""

    def setUp(self) -> None:
        """Start nginx."""
        super().setUp()
        need("nginx")
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        port = free_port()
        (folder / "page").write_bytes(_PAGE)
        configuration = folder / "nginx.conf"
        configuration.write_text(
            _CONFIGURATION.format(folder=folder, port=port, user=getpass.getuser())
        )
        self.nginx = subprocess.Popen(["nginx", "-c", str(configuration), "-p", str(folder)])
        self.addCleanup(self.nginx.wait)
        self.addCleanup(self.nginx.terminate)
        self.url = f"http://127.0.0.1:{port}/page"
        wait_for(self._is_up)

    def _is_up(self) -> bool:
        try:
            urllib.request.urlopen(self.url, timeout=PATIENCE_S).close()
        except OSError:
            return False
        return True

    @unmeasured()
    def test_ten_times(self) -> None:
        """While a tracer attaches and detaches ten times, every request is answered."""
        clients = [Client(self.url) for _ in range(2)]
        for client in clients:
            self.addCleanup(client.stop)
        for _ in range(10):
            tracer = self.attach_to(self.nginx.pid)
            tracer.await_calls("writev", 20)
            tracer.send(Detach())
            outcome = tracer.finish()
            self.assertEqual(Ended(), outcome.ending)
            self.assertLessEqual(set(outcome.delta.processes), self.processes())
        for client in clients:
            client.stop()
            self.assertEqual([], client.trouble)
            self.assertLess(0, client.answered)

    def test_accounting(self) -> None:
        """The workers have read and written what the kernel counts."""
        tracer = self.attach_to(self.nginx.pid)
        workers = children(self.nginx.pid)
        before = {pid: accounting(pid) for pid in workers}
        client = Client(self.url)
        self.addCleanup(client.stop)
        tracer.await_calls("writev", 20)
        client.stop()
        # An answer arrives before the call that has sent it returns.
        wait_for(lambda: all(map(is_waiting, workers)))
        after = {pid: accounting(pid) for pid in workers}
        tracer.send(Detach())
        delta = tracer.finish().delta
        for pid in workers:
            check(delta, pid, before[pid], after[pid])

    def processes(self) -> set[int]:
        """Return the PIDs of the master and the workers, which never change."""
        return {self.nginx.pid, *children(self.nginx.pid)}
