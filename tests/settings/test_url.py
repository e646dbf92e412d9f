"""Tests of URLs as given on the command line."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.url import UrlError, server_url


class UrlTests(SynchronousTestCase):
    """URLs of servers."""

    def test_completed(self) -> None:
        """The scheme, the last slash and the host of a local server may be left out."""
        for text, expected in {
            "localhost:8080": "http://localhost:8080/",
            "https://web/traces": "https://web/traces/",
            "http://[::1]:80/": "http://[::1]:80/",
            ":8080": "http://localhost:8080/",
            ":8080/proxied": "http://localhost:8080/proxied/",
        }.items():
            self.assertEqual(expected, server_url(text))

    def test_invalid(self) -> None:
        """A user, a query, a port that is none and an unreadable host are refused."""
        bad_ports = (":", ":x", ":99999", "localhost:x", "a:99999")
        for text in ("", *bad_ports, "http://a@b/", "http://a/?q", "http://[::1"):
            with self.assertRaisesRegex(UrlError, "^invalid URL '"):
                server_url(text)
