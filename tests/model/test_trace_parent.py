"""Tests of trace parents: the rules and examples of W3C Trace Context."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.trace_parent import TraceParent

_TRACE, _SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class TraceParentTests(SynchronousTestCase):
    """Texts of `traceparent`."""

    def test_valid(self) -> None:
        """The flags tell whether the trace is recorded; other flags do not matter."""
        for flags, is_sampled in {"01": True, "00": False, "03": True, "fe": False}.items():
            parent = TraceParent.parse(f"00-{_TRACE}-{_SPAN}-{flags}")
            self.assertEqual(TraceParent(_TRACE, _SPAN, int(flags, 16)), parent)
            assert parent is not None
            self.assertEqual(is_sampled, parent.is_sampled)

    def test_later_version(self) -> None:
        """A later version may have more fields."""
        for more in ("", "-", "-more"):
            parent = TraceParent.parse(f"cc-{_TRACE}-{_SPAN}-01{more}")
            self.assertEqual(TraceParent(_TRACE, _SPAN, 1), parent)

    def test_damaged(self) -> None:
        """What comes from a file need not be what was parsed."""
        for parent, is_valid in {
            TraceParent(_TRACE, _SPAN, 255): True,
            TraceParent(_TRACE, _SPAN, 256): False,
            TraceParent(_TRACE, _SPAN, -1): False,
            TraceParent(_TRACE, "", 1): False,
            TraceParent("é" * 32, _SPAN, 1): False,
        }.items():
            self.assertEqual(is_valid, parent.is_valid, parent)

    def test_invalid(self) -> None:
        """Everything else is no parent."""
        for text in (
            "",
            "x",
            f"ff-{_TRACE}-{_SPAN}-01",
            f"00-{_TRACE}-{_SPAN}-01-more",
            f"00-{_TRACE}-{_SPAN}-01\n",
            f"cc-{_TRACE}-{_SPAN}-01.more",
            f"00-{_TRACE.upper()}-{_SPAN}-01",
            f"00-{'0' * 32}-{_SPAN}-01",
            f"00-{_TRACE}-{'0' * 16}-01",
            f"00-{_TRACE[1:]}-{_SPAN}-01",
            f" 00-{_TRACE}-{_SPAN}-01",
        ):
            self.assertIsNone(TraceParent.parse(text), text)
