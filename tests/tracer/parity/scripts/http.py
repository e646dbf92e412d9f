"""Serve one page over the loopback interface, and fetch it."""

import http.client
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with a page."""

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"page" * 2000)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
thread = threading.Thread(target=server.handle_request)
thread.start()
client = http.client.HTTPConnection("127.0.0.1", server.server_port)
client.request("GET", "/")
client.getresponse().read()
thread.join()
client.close()
server.server_close()
