"""A check of the language of docstrings, comments and texts."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import syswatch

# Docstrings name the action: Return, Write, Stop.
OPENINGS = ("Say ", "Tell ")
# Words that make a reader stop.
WORDS = (
    *(
        "anew",
        "anybody",
        "be it",
        "goes on",
        "is to be",
        "lest",
        "no mistake",
        "nobody",
        "once more",
    ),
    *("somebody", "somewhere", "stands behind", "until then", "whom"),
)
_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
_PACKAGE = Path(syswatch.__file__).parent
_TESTS = Path(__file__).parent


class LanguageTests(SynchronousTestCase):
    """The sentences of the package and its tests."""

    def test_openings(self) -> None:
        """No docstring starts with a verb that does not describe the function."""
        found = [
            f"{place}: {text}"
            for file in (*_files(_PACKAGE), *_files(_TESTS))
            for place, text in _docstrings(file)
            if text.startswith(OPENINGS)
        ]
        self.assertEqual("", "\n".join(found))

    def test_words(self) -> None:
        """No docstring, comment or text of the package has a word of the list."""
        texts = chain(
            *(chain(_strings(file), _comments(file)) for file in _files(_PACKAGE)),
            # Other strings of tests are data.
            *(chain(_docstrings(file), _comments(file)) for file in _files(_TESTS)),
        )
        found = [f"{place}: {text}" for place, text in texts if _WORD.search(text)]
        self.assertEqual("", "\n".join(found))


def _files(folder: Path) -> Iterator[Path]:
    return iter(sorted(folder.rglob("*.py")))


def _docstrings(file: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(file.read_text())):
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield f"{file}:{node.body[0].lineno}", text


def _strings(file: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield f"{file}:{node.lineno}", node.value


def _comments(file: Path) -> Iterator[tuple[str, str]]:
    for token in tokenize.generate_tokens(io.StringIO(file.read_text()).readline):
        if token.type == tokenize.COMMENT:
            yield f"{file}:{token.start[0]}", token.string
