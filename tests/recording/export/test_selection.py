"""Tests of the rows that are exported."""

import sys
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.recording import segments
from syswatch.recording.export.selection import Selection
from syswatch.recording.extra import load
from syswatch.recording.read.opening import Recording
from tests.recording import samples
from tests.system.shell import run

_OUT_OF_MEMORY = """
import resource, sys
from syswatch.app import recordings
from syswatch.app.cli import main

def write(selection, out):
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] <= 4 << 30
    raise MemoryError

recordings.EXPORTS = {"csv": write}
sys.argv = ["syswatch", "export", *sys.argv[1:], "--to", "csv"]
main()
"""


class MemoryTests(TestCase):
    """Recordings that anyone may have made."""

    def test_long_texts(self) -> None:
        """A text that is repeated in every row is held once."""
        arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
        folder = samples.write(Path(self.mktemp()))
        segment = folder / segments.CALLS / segments.name_of(0)
        table = parquet.read_table(segment)
        many = table.take(arrow.array([0] * 100_000))
        texts = arrow.DictionaryArray.from_arrays(
            arrow.array([0] * 100_000, "int32"), arrow.array(["x" * 100_000])
        )
        place = many.schema.get_field_index("args")
        parquet.write_table(many.set_column(place, "args", texts), segment)
        rows = max(Selection(Recording.open(folder)).parts(), key=len)
        self.assertEqual(100_000, len(rows))
        self.assertEqual(1, len({id(row.args) for row in rows}))

    def test_out_of_memory(self) -> None:
        """The memory is limited, and too little of it is one sentence."""
        folder = samples.write(Path(self.mktemp()))
        result = run([sys.executable, "-c", _OUT_OF_MEMORY, str(folder)])
        expected = f"syswatch: {folder}: reading it takes more than 4 GiB\n"
        self.assertEqual((1, expected), (result.returncode, result.stderr))
