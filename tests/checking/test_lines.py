"""Tests of finding lines in TOML."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.lines import Lines

_KEYS = st.lists(st.sampled_from("abcdefghij"), min_size=1, unique=True)
_VALUES = st.sampled_from(["1", '"x"', '"""\na = 1\n[b]\n"""', "[\n  1,\n  2,\n]", "{ c = 1 }"])


class LineTests(SynchronousTestCase):
    """The line of a key."""

    @given(_KEYS, st.data())
    def test_line(self, keys: list[str], data: st.DataObject) -> None:
        """It is that on which the key is written, whatever values come before."""
        text, expected = "", {}
        for key in keys:
            text += data.draw(st.sampled_from(["", "# a = 1\n", "\n"]))
            expected[key] = text.count("\n") + 1
            text += f"{key} = {data.draw(_VALUES)}\n"
        self.assertEqual(set(keys), set(tomllib.loads(text)))
        lines = Lines(text)
        self.assertEqual(expected, {key: lines.line([key]) for key in keys})

    def test_nested(self) -> None:
        """Keys of tables are found, and elements of lists."""
        lines = Lines('[a]\n[a.b]\nc.d = 1\ne = [\n  "x",\n  "y",\n]\n')
        found = [lines.line(keys) for keys in (["a"], ["a", "b"], ["a", "b", "c", "d"], ["z"])]
        self.assertEqual([1, 2, 3, 0], found)
        self.assertEqual(6, lines.line(["a", "b", "e"], "y"))
        self.assertEqual(4, lines.line(["a", "b", "e"], "written otherwise"))

    def test_empty(self) -> None:
        """An empty document has no keys."""
        self.assertEqual(0, Lines("").line(["a"]))
