"""Tests of listen addresses."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.address import Address, AddressError


class ParseTests(SynchronousTestCase):
    """Listen addresses as given on the command line."""

    def test_addresses(self) -> None:
        """A host and a port are separated; an empty host means loopback."""
        for text, expected in {
            ":8080": ("", 8080),
            ":0": ("", 0),
            "127.0.0.1:80": ("127.0.0.1", 80),
            "localhost:80": ("localhost", 80),
            "[::1]:80": ("::1", 80),
            "[::]:65535": ("::", 65535),
            "0.0.0.0:1": ("0.0.0.0", 1),  # noqa: S104  what is tested
        }.items():
            address = Address.parse(text)
            self.assertEqual(expected, (address.host, address.port), text)

    def test_descriptions(self) -> None:
        """An endpoint description is left to Twisted."""
        for text in ("unix:/run/x.sock", "ssl:8443:privateKey=a.pem", "tcp:80:interface=::1"):
            self.assertIsNone(Address.parse(text).port, text)
            self.assertTrue(Address.parse(text).may_use_tls)
        self.assertFalse(Address.parse(":8080").may_use_tls)

    def test_mistakes(self) -> None:
        """An invalid address is refused with one sentence that quotes it."""
        for text in (
            "",
            "8080",
            "x",
            ":",
            ":x",
            ":-1",
            ":65536",
            ":999999",
            "::1:80",
            "[::1]",
            "a:b:1",
            ":80\n",
        ):
            error = self.assertRaises(AddressError, Address.parse, text)
            self.assertIn("is not a valid address", str(error))
            self.assertIn(f"'{text}'", str(error))

    @given(st.text(max_size=20))
    def test_anything(self, text: str) -> None:
        """Any text is either a valid address or refused."""
        try:
            address = Address.parse(text)
        except AddressError:
            return
        self.assertTrue(address.port is None or 0 <= address.port <= 65_535)

    def test_hints(self) -> None:
        """An address that lacks its colon or its port is completed."""
        for text, meant in {
            "8080": ":8080",
            "10.0.0.1": "10.0.0.1:8080",
            "::1": "[::1]:8080",
        }.items():
            error = self.assertRaises(AddressError, Address.parse, text)
            self.assertTrue(str(error).endswith(f"did you mean '{meant}'?"), error)
            Address.parse(meant)
