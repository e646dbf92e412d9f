"""TLS to a collector: which authorities to trust, and what to present."""

from pathlib import Path

from OpenSSL import SSL
from twisted.internet.error import VerifyError
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.internet.ssl import (
    Certificate,
    KeyPair,
    PrivateCertificate,
    optionsForClientTLS,
    trustRootFromCertificates,
)
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from syswatch.settings.push import Endpoint, PushError

_END = b"-----END CERTIFICATE-----"


@implementer(IPolicyForHTTPS)
class Policy:
    """The policy of the requests to one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Read the files; raise PushError if one of them is not what it should be."""
        self._trusted = None
        self._presented = None
        if endpoint.certificate:
            parts = _read(endpoint.certificate).split(_END)[:-1]
            found = [_certificate(endpoint.certificate, part + _END) for part in parts]
            if not found:
                raise PushError(f"{endpoint.certificate}: not a certificate in PEM format")
            self._trusted = trustRootFromCertificates(found)
        if endpoint.client_certificate:
            self._presented = _presented(endpoint)

    def creatorForNetloc(self, hostname: bytes, port: int) -> IOpenSSLClientConnectionCreator:  # noqa: ARG002, N802  as the interface has it
        """Return the options of connections to a host."""
        return optionsForClientTLS(
            hostname.decode("ascii"), trustRoot=self._trusted, clientCertificate=self._presented
        )


def _presented(endpoint: Endpoint) -> PrivateCertificate:
    own = _certificate(endpoint.client_certificate, _read(endpoint.client_certificate))
    try:
        key = KeyPair.load(_read(endpoint.client_key), 1)
        presented: PrivateCertificate = PrivateCertificate.fromCertificateAndKeyPair(own, key)
    except VerifyError as error:
        raise PushError(
            f"{endpoint.client_key}: not the key of {endpoint.client_certificate}"
        ) from error
    except (SSL.Error, ValueError, TypeError) as error:
        raise PushError(f"{endpoint.client_key}: not a private key in PEM format") from error
    return presented


def _certificate(name: str, content: bytes) -> Certificate:
    try:
        return Certificate.loadPEM(content)
    except (SSL.Error, ValueError) as error:
        raise PushError(f"{name}: not a certificate in PEM format") from error


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise PushError(f"{name}: {error.strerror}") from error
