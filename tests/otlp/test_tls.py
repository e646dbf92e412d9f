"""Tests of what is presented to a collector."""

from pathlib import Path

from twisted.internet.ssl import KeyPair
from twisted.trial.unittest import SynchronousTestCase

from syswatch.otlp.tls import Policy
from syswatch.settings.push import Endpoint, PushError


class PolicyTests(SynchronousTestCase):
    """The files of a client."""

    def test_key_of_another_certificate(self) -> None:
        """A key and a certificate that do not belong together are one sentence."""
        own, other = KeyPair.generate(size=2048), KeyPair.generate(size=2048)
        certificate, key = Path(self.mktemp()), Path(self.mktemp())
        certificate.write_bytes(own.selfSignedCert(1, CN="here").dumpPEM())
        for pair, sentence in ((own, ""), (other, f"{key}: not the key of {certificate}")):
            key.write_bytes(pair.dump(1))
            endpoint = Endpoint(
                "https://collector/", client_certificate=str(certificate), client_key=str(key)
            )
            try:
                Policy(endpoint)
            except PushError as error:
                self.assertEqual(sentence, str(error))
            else:
                self.assertEqual("", sentence)
