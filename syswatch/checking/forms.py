"""The names of the formats of a result, which the command line knows without writing them."""

from collections.abc import Mapping
from typing import Final

CONTENTS: Final[Mapping[str, str]] = {
    "text": "a sentence, what exceeds the budget, and a table of all entries",
    "json": "one object; times are in nanoseconds",
    "markdown": "the same as text, for a comment or the summary of a job",
    "junit": "JUnit XML: a test case for each entry, and one for the command",
}
