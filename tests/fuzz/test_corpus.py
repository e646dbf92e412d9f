"""Replay the kept inputs: what fuzzing once found stays mended."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.fuzz.targets import TARGETS

_CORPUS = Path(__file__).parent / "corpus"


class CorpusTests(SynchronousTestCase):
    """The inputs, each with its own target."""

    def test_all(self) -> None:
        """No kept input makes its target fail."""
        for name, target in TARGETS.items():
            inputs = sorted((_CORPUS / name).iterdir())
            self.assertTrue(inputs, name)
            for path in inputs:
                with self.subTest(target=name, input=path.name):
                    target(path.read_bytes())

    def test_each_folder_has_a_target(self) -> None:
        """Every folder of inputs belongs to a target."""
        self.assertEqual(sorted(TARGETS), sorted(path.name for path in _CORPUS.iterdir()))
