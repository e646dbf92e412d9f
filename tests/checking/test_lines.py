"""Tests of finding lines in TOML."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.toml import parsed
from syswatch.checking import lines as lines_module
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

    def test_other_line_ends(self) -> None:
        """Only what editors take for the end of a line counts."""
        lines = Lines("# a\u2028b\x85c\nd = 1\r\ne = 2\n")
        self.assertEqual([2, 3], [lines.line([key]) for key in "de"])

    def test_quoted_keys(self) -> None:
        """Keys may be quoted, and have any characters then."""
        lines = Lines("""a.'b = c' = 1\n"d \\" = e" = 2\n[f]\n"%g".h = 3\n""")
        keys = (["a", "b = c"], ['d " = e'], ["f"], ["f", "%g", "h"])
        self.assertEqual([1, 2, 3, 4], [lines.line(each) for each in keys])

    def test_long_list(self) -> None:
        """A list is not parsed again for each of its elements, nor at each of its lines."""
        texts = [f"/a{number}" for number in range(300)]
        written = "".join(f'  "{text}",\n' for text in texts)
        parses: list[str] = []

        def count(text: str) -> object:
            parses.append(text)
            return parsed(text)

        self.patch(lines_module, "parsed", count)
        lines = Lines(f"[a]\nb = [\n{written}]\nc = 1\n")
        found = [lines.line(["a", "b"], text) for text in texts]

        self.assertEqual([*range(3, 303)], found)
        self.assertLess(len(parses), 10)

    def test_empty(self) -> None:
        """An empty document has no keys."""
        self.assertEqual(0, Lines("").line(["a"]))
