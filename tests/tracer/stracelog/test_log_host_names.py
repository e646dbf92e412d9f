"""Tests of the names of peers in logs."""

from twisted.trial.unittest import SynchronousTestCase

from tests.name_server import answer, query

from .condensed import condensed

_SERVER = '{sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.1")}'
_ANSWER = answer(query("db.example.org"), "10.0.0.5", "alias.example.net")
_SIZE = len(_ANSWER)
_DATA = '"' + "".join(f"\\{byte:03o}" for byte in _ANSWER) + '"'
_VECTOR = f"{{iov_base={_DATA}, iov_len=512}}"


class HostNameTests(SynchronousTestCase):
    """The names of peers, from answers of name servers in a log."""

    def host(self, *lines: str) -> str:
        """Return the name of a peer to which a log connects after some lines."""
        connect = (
            "9 connect(9, {sa_family=AF_INET, sin_port=htons(5432), "
            'sin_addr=inet_addr("10.0.0.5")}, 16) = 0 <0.000010>'
        )
        opened = "9 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 9 <0.000010>"
        delta = condensed("\n".join((*lines, opened, connect)))
        hosts = (i.host for i in delta.objects.values() if i.name == "10.0.0.5:5432")
        return next(hosts)

    def test_connected(self) -> None:
        """The answer arrives at a socket that is connected to a name server."""
        opened = "9 socket(AF_INET, SOCK_DGRAM, IPPROTO_IP) = 3 <0.000010>"
        asked = f"9 connect(3, {_SERVER}, 16) = 0 <0.000010>"
        for received in (
            f"9 recvfrom(3, {_DATA}, 512, 0, NULL, NULL) = {_SIZE} <0.000010>",
            f"9 read(3, {_DATA}, 512) = {_SIZE} <0.000010>",
            f"9 recvmsg(3, {{msg_name=NULL, msg_iov=[{_VECTOR}]}}, 0) = {_SIZE} <0.1>",
        ):
            self.assertEqual("db.example.org", self.host(opened, asked, received))
        cut = f'9 recvfrom(3, "{_DATA[1:50]}"..., 512, 0, NULL, NULL) = {_SIZE} <0.000010>'
        self.assertEqual("", self.host(opened, asked, cut))

    def test_unconnected(self) -> None:
        """The address tells that it is an answer."""
        opened = "9 socket(AF_INET, SOCK_DGRAM, IPPROTO_IP) = 3 <0.000010>"
        for address, name in ((_SERVER, "db.example.org"), (_SERVER.replace("(53", "(54"), "")):
            received = f"9 recvfrom(3, {_DATA}, 512, 0, {address}, [16]) = {_SIZE} <0.000010>"
            self.assertEqual(name, self.host(opened, received))

    def test_decorated(self) -> None:
        """The descriptor tells the address of the peer."""
        received = f"9 read(3<UDP:[10.0.0.2:4000->10.0.0.1:53]>, {_DATA}, 512) = {_SIZE} <0.00001>"
        self.assertEqual("db.example.org", self.host(received))
