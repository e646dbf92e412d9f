"""Tests of the manual page and the completions, with the programs that read them."""

import os
import shlex
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import PROGRAM
from syswatch.options.installed.files import render
from tests.system.servers import ROOT, need
from tests.system.shell import run

_BASH = "share/bash-completion/completions/syswatch"
_ZSH = "share/zsh/site-functions/_syswatch"
_FISH = "share/fish/vendor_completions.d/syswatch.fish"
_MANUAL = "share/man/man1/syswatch.1"
# Each line that is typed, and some of what is offered.
_OFFERS = {
    "syswatch ": {"run", "attach", "help"},
    "syswatch att": {"attach"},
    "syswatch --f": {"--format"},
    "syswatch help d": {"discover", "doctor"},
    "syswatch run --fo": {"--format", "--follow-forks"},
    "syswatch run --format ": {"text", "json", "ndjson", "csv"},
    "syswatch stats --tui a": {"auto", "always"},
    "syswatch top --http": {"--http-token", "--http-token-file"},
    "syswatch run --user roo": {"root"},
    "syswatch discover --a": {"--all"},
    f"syswatch attach -p {os.getpid()}": {str(os.getpid())},
    f"syswatch attach {os.getpid()}": {str(os.getpid())},
    "syswatch run /bin/ech": {"/bin/echo"},
    "syswatch run -e %file -c ech": {"echo"},
    "syswatch run --serve :8080 ech": {"echo"},
}


class FileTests(SynchronousTestCase):
    """The files that are part of the distribution."""

    def test_current(self) -> None:
        """They are those that the registry of commands renders."""
        for name, text in render().items():
            hint = f"{name} is out of date: python -m syswatch.options.installed ."
            self.assertEqual(text, (ROOT / name).read_text("utf-8"), hint)

    def test_written(self) -> None:
        """The module writes them all below a directory."""
        folder = Path(self.mktemp()).absolute()
        result = run(["python3", "-m", "syswatch.options.installed", str(folder)])
        self.assertEqual("", result.stderr)
        written = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
        self.assertEqual(set(render()), written)


class ManualTests(SynchronousTestCase):
    """The manual page."""

    def test_no_warnings(self) -> None:
        """Groff renders it without a warning."""
        need("groff")
        result = run(["groff", "-man", "-Tutf8", "-ww", "-rLL=80n", str(ROOT / _MANUAL)])
        self.assertEqual((0, ""), (result.returncode, result.stderr))

    def test_complete(self) -> None:
        """It has the usual sections, every command and every option."""
        page = (ROOT / _MANUAL).read_text("utf-8")
        sections = [line[4:] for line in page.splitlines() if line.startswith(".SH ")]
        expected = "NAME, SYNOPSIS, DESCRIPTION, COMMANDS, OPTIONS, EXAMPLES, EXIT STATUS"
        self.assertEqual([*expected.split(", "), "ENVIRONMENT", "FILES", "SEE ALSO"], sections)
        for command in PROGRAM.commands:
            self.assertIn(f".B syswatch {command.name}\n", page)
            for option in command.options:
                for spelling in option.spellings:
                    self.assertIn(f"\\fB{spelling.replace('-', chr(92) + '-')}\\fR", page)


class CompletionTests(SynchronousTestCase):
    """What is offered after some words; the last one is incomplete."""

    def check(self, offered: set[str], line: str, expected: set[str], *, only: bool) -> None:
        """Expect what is offered to have what is expected, all of which fits."""
        self.assertLessEqual(expected, offered, line)
        if only:
            last = line.rpartition(" ")[2]
            self.assertEqual(set(), {o for o in offered if not o.startswith(last)}, line)

    def test_bash(self) -> None:
        """Bash offers what fits, in the words into which it splits a line."""
        need("bash")
        splits = {":8080": ": 8080"}
        script = f"source {shlex.quote(str(ROOT / _BASH))}\n"
        lines = {**_OFFERS, "syswatch run --format = js": {"json"}}
        for line in lines:
            words = line
            for word, parts in splits.items():
                words = words.replace(word, parts)
            array = " ".join(map(shlex.quote, words.split(" ")))
            script += f"COMP_WORDS=({array}); COMP_CWORD={len(words.split(' ')) - 1}\n"
            script += '_syswatch; printf "%s " "${COMPREPLY[@]}"; echo\n'
        result = run(["bash", "--norc", "-c", script])
        self.assertEqual("", result.stderr)
        for (line, expected), offered in zip(
            lines.items(), result.stdout.splitlines(), strict=True
        ):
            self.check(set(offered.split()), line, expected, only=True)

    def test_fish(self) -> None:
        """Fish offers what fits, with a description."""
        need("fish")
        for line, expected in _OFFERS.items():
            script = f"source {shlex.quote(str(ROOT / _FISH))}; complete -C {shlex.quote(line)}"
            result = run(["fish", "--no-config", "-c", script])
            self.assertEqual("", result.stderr)
            offered = {row.split("\t")[0] for row in result.stdout.splitlines()}
            self.check(offered, line, expected, only=False)

    def test_zsh(self) -> None:
        """Zsh can parse its script, and loads it as a completion of `syswatch`."""
        need("zsh")
        path = ROOT / _ZSH
        self.assertEqual("", run(["zsh", "-n", str(path)]).stderr)
        script = (
            f"fpath=({shlex.quote(str(path.parent))} $fpath); autoload -U compinit; compinit -u -D;"
            " print $_comps[syswatch]; autoload +X _syswatch && print loaded"
        )
        self.assertEqual("_syswatch\nloaded\n", run(["zsh", "-f", "-c", script]).stdout)
