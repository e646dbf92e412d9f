"""A check of the language of docstrings, comments and texts."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import syswatch

# Docstrings say what a function does: Return, Write, Stop.
OPENINGS = ("Say ", "Tell ")
# Words that a reader stops at.
WORDS = (
    *("anew", "anybody", "be it", "no mistake", "nobody", "once more", "somebody", "stands behind"),
    *("until then", "whom", "who is told"),
)
# Packages of syswatch that are checked; "" stands for all of them.
CHECKED = ("",)
_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)


class LanguageTests(SynchronousTestCase):
    """The sentences of the source."""

    def test_docstrings(self) -> None:
        """No docstring starts with a verb that does not describe the function."""
        found = [f"{place}: {text}" for place, text in _docstrings() if text.startswith(OPENINGS)]
        self.assertFalse(found, "\n".join(found))

    def test_words(self) -> None:
        """No comment or string has a word of the list."""
        found = [f"{place}: {text}" for place, text in _texts() if _WORD.search(text)]
        self.assertFalse(found, "\n".join(found))


def _files() -> Iterator[Path]:
    package = Path(syswatch.__file__).parent
    for name in CHECKED:
        yield from sorted((package / name).rglob("*.py"))


def _docstrings() -> Iterator[tuple[str, str]]:
    for file in _files():
        for node in ast.walk(ast.parse(file.read_text())):
            documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                yield f"{file}:{node.body[0].lineno}", text


def _texts() -> Iterator[tuple[str, str]]:
    """Yield comments and string literals, docstrings included."""
    for file in _files():
        for token in tokenize.generate_tokens(io.StringIO(file.read_text()).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                yield f"{file}:{token.start[0]}", token.string
