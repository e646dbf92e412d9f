"""Tests that inputs which once failed do not fail again."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.fuzz.targets import TARGETS

_CORPUS = Path(__file__).parent / "corpus"


class CorpusTests(SynchronousTestCase):
    """The corpus, each input with its own target."""

    def test_all(self) -> None:
        """No input of the corpus makes its target fail."""
        for name, target in TARGETS.items():
            inputs = sorted((_CORPUS / name).iterdir())
            self.assertTrue(inputs, name)
            for path in inputs:
                with self.subTest(target=name, input=path.name):
                    target(path.read_bytes())

    def test_each_folder_has_a_target(self) -> None:
        """Every folder of the corpus belongs to a target."""
        self.assertEqual(sorted(TARGETS), sorted(path.name for path in _CORPUS.iterdir()))
