"""Tests of the checks before the upgrade to the stream."""

from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access, Token
from syswatch.web.stream_on_demand import StreamOnDemand
from tests.web.frames import UPGRADE, Listener
from tests.web.served import Response, Served, request

SECRET = "open sesame"


def ask(served: Served, path: str = "/stream", **headers: str) -> Response:
    """Request an upgrade; underscores in names stand for dashes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    raw = served.connect().send(request(path, {**UPGRADE, **named}))
    return Response.of(raw)


class TokenTests(SynchronousTestCase):
    """The token of the stream."""

    def setUp(self) -> None:
        """Create a server with a token."""
        self.served = Served(Access(ws_token=Token(SECRET.encode())))

    def test_refused(self) -> None:
        """Without the token the response is 401 as JSON."""
        with mock.patch.object(StreamOnDemand, "upgrade") as upgrade:
            response = ask(self.served)

        self.assertEqual(401, response.status)
        self.assertEqual("Bearer", response.headers["www-authenticate"])
        self.assertEqual("application/json", response.headers["content-type"])
        self.assertEqual(str(len(response.body)), response.headers["content-length"])
        self.assertEqual(
            {"error": "unauthorized", "message": "A valid bearer token is required."},
            response.json,
        )
        self.assertNotIn("upgrade", response.headers)
        upgrade.assert_not_called()

    def test_same_refusal(self) -> None:
        """A missing, a wrong and an almost right token get the same response."""
        values = (
            "",
            "Bearer x",
            f"Bearer {SECRET[:-1]}",
            f"Bearer {SECRET}x",
            "Basic abc",
            "Bearer",
        )

        bodies = {ask(self.served, Authorization=value).body for value in values}

        self.assertEqual(1, len(bodies))

    def test_header(self) -> None:
        """The token may be in the header, with the scheme in any case."""
        for scheme in ("Bearer", "bearer", "BEARER"):
            response = ask(self.served, Authorization=f"{scheme} {SECRET}")
            self.assertEqual(101, response.status)

    def test_query(self) -> None:
        """The token may be in the query."""
        self.assertEqual(101, ask(self.served, "/stream?token=open%20sesame").status)
        self.assertEqual(401, ask(self.served, "/stream?token=open").status)

    def test_header_decides(self) -> None:
        """With both, the header decides."""
        right, wrong = "/stream?token=open%20sesame", "/stream?token=wrong"

        self.assertEqual(101, ask(self.served, wrong, Authorization=f"Bearer {SECRET}").status)
        self.assertEqual(401, ask(self.served, right, Authorization="Bearer wrong").status)

    def test_password_of_a_proxy(self) -> None:
        """Another scheme presents no token, so the query or another header counts."""
        right = "/stream?token=open%20sesame"
        for password in (
            "Basic YWxpY2U6c2VjcmV0",
            "Digest username=alice",
            "Negotiate",
            "Bearerx y",
        ):
            self.assertEqual(101, ask(self.served, right, Authorization=password).status, password)
            self.assertEqual(401, ask(self.served, Authorization=password).status, password)
        for empty in ("Bearer", "bearer "):
            self.assertEqual(401, ask(self.served, right, Authorization=empty).status)

        basic, bearer = (b"Authorization: Basic eA==\r\n", b"Authorization: Bearer open sesame\r\n")
        for both in (basic + bearer, bearer + basic):
            raw = request("/stream", UPGRADE).replace(b"\r\n", b"\r\n" + both, 1)
            self.assertEqual(101, Response.of(self.served.connect().send(raw)).status)

    def test_constant_time(self) -> None:
        """Tokens are compared in constant time."""
        compare = mock.Mock(return_value=False)
        with mock.patch("hmac.compare_digest", compare):
            ask(self.served, Authorization="Bearer guess")

        compare.assert_called_once()

    def test_only_stream(self) -> None:
        """The token of the stream protects only the stream."""
        self.assertEqual(200, self.served.get("/api/stats").status)

    def test_before_everything(self) -> None:
        """The token is checked first."""
        response = Response.of(self.served.connect().send(request("/stream")))

        self.assertEqual(401, response.status)

    def test_hidden(self) -> None:
        """A token is not in its repr."""
        self.assertNotIn(SECRET, repr(Token(SECRET.encode())))


class OriginTests(SynchronousTestCase):
    """The Origin header."""

    def test_no_origin(self) -> None:
        """A client without Origin is accepted."""
        self.assertEqual(101, ask(Served()).status)

    def test_own_pages(self) -> None:
        """The server's own pages are accepted under all its names."""
        for host in ("127.0.0.1:8080", "localhost:8080", "[::1]:8080"):
            response = ask(Served(), Host=host, Origin=f"http://{host}")
            self.assertEqual(101, response.status, host)

    def test_other_pages(self) -> None:
        """Pages of another host, of another port and without an origin are refused."""
        for origin in (
            "http://evil.example",
            "http://127.0.0.1:9999",
            "null",
            "file://",
            "http://",
        ):
            response = ask(Served(), Origin=origin)
            self.assertEqual((403, "forbidden_origin"), (response.status, response.json["error"]))

    def test_without_origin(self) -> None:
        """Without Origin, Sec-Fetch-Site counts."""
        for site, status in (("same-origin", 101), ("none", 101), ("same-site", 403)):
            self.assertEqual(status, ask(Served(), Sec_Fetch_Site=site).status, site)

    def test_allowed_pages(self) -> None:
        """Pages of an allowed host are accepted."""
        served = Served(Access(allowed_hosts=frozenset({"board.example"})))

        response = ask(served, Host="board.example", Origin="https://board.example")

        self.assertEqual(101, response.status)


class HandshakeTests(SynchronousTestCase):
    """Invalid handshakes."""

    def test_plain_request(self) -> None:
        """A plain request gets 426."""
        response = Served().get("/stream")

        self.assertEqual(
            (426, "upgrade_required", "websocket"),
            (response.status, response.json["error"], response.headers["upgrade"]),
        )

    def test_mistakes(self) -> None:
        """An invalid handshake gets 400 and the supported version."""
        for mistake in (
            {"Connection": "close"},
            {"Sec_WebSocket_Version": "8"},
            {"Sec_WebSocket_Version": ""},
            {"Sec_WebSocket_Key": ""},
            {"Sec_WebSocket_Key": "short"},
        ):
            response = ask(Served(), **mistake)
            self.assertEqual((400, "bad_handshake"), (response.status, response.json["error"]))
            self.assertEqual("13", response.headers["sec-websocket-version"])

    def test_twice(self) -> None:
        """A repeated header is invalid."""
        for name in ("Sec-WebSocket-Version", "Sec-WebSocket-Key"):
            line = f"{name}: {UPGRADE[name]}\r\n".encode()
            raw = request("/stream", UPGRADE).replace(line, 2 * line)
            response = Response.of(Served().connect().send(raw))
            self.assertEqual((400, "bad_handshake"), (response.status, response.json["error"]))

    def test_nonsense_beside_it(self) -> None:
        """Other headers are ignored."""
        for nonsense in (
            {"Sec_WebSocket_Protocol": "a, a"},
            {"Sec_WebSocket_Extensions": "permessage-deflate; x=y"},
        ):
            self.assertEqual(101, ask(Served(), **nonsense).status, nonsense)
        self.assertEqual(101, ask(Served(), "/stream?x#y").status)

    def test_old_protocol(self) -> None:
        """HTTP/1.0 cannot be upgraded."""
        raw = request("/stream", UPGRADE).replace(b"HTTP/1.1", b"HTTP/1.0")

        self.assertEqual(400, Response.of(Served().connect().send(raw)).status)

    def test_other_method(self) -> None:
        """Only GET can be upgraded; the token is checked first."""
        evil = {**UPGRADE, "Origin": "http://evil.example"}
        for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get", "NONSENSE"):
            for headers in ({}, UPGRADE, evil):
                response = Served().get("/stream", headers, method)
                self.assertEqual((405, "GET"), (response.status, response.headers["allow"]))
                guarded = Served(Access(ws_token=Token(b"sesame")))
                self.assertEqual(401, guarded.get("/stream", headers, method).status)

    def test_firefox(self) -> None:
        """Connection may have further values."""
        listener = Listener(Served(), {"Connection": "keep-alive, Upgrade"})

        self.assertIn(b"101", listener.head.split(b"\r\n")[0])
