"""Tests of moments as people write them."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.times import SECOND_NS
from syswatch.recording.moments import moment

# 22:13:20 UTC on 14 November 2023.
_BEGUN_S = 1_700_000_000


class MomentTests(SynchronousTestCase):
    """What is understood."""

    def test_moments(self) -> None:
        """A moment is given from the beginning, as a time of day, or in full."""
        for text, seconds, nanoseconds in (
            ("+0", 0, 0),
            ("+2.5", 2, 500_000_000),
            ("+90s", 90, 0),
            ("22:13:21", 1, 0),
            ("22:13:21.000000001", 1, 1),
            ("22:14", 40, 0),
            ("00:00:00", 6400, 0),
            ("1700000001.25", 1, 250_000_000),
            ("2023-11-14T22:13:22Z", 2, 0),
            ("2023-11-14 22:13:22.123456789", 2, 123_456_789),
            ("2023-11-14T23:13:22+01:00", 2, 0),
        ):
            expected = (_BEGUN_S + seconds) * SECOND_NS + nanoseconds
            self.assertEqual(expected, moment(text, _BEGUN_S * SECOND_NS), text)

    def test_mistakes(self) -> None:
        """Anything else is a ValueError."""
        for text in (
            "",
            "now",
            "+",
            "-1",
            "25:00",
            "2023-13-01T00:00",
            "1e9",
            "22:13:20.1234567890",
        ):
            with self.assertRaises(ValueError, msg=text):
                moment(text, _BEGUN_S * SECOND_NS)
