"""Tests of reading budgets, and of the sentences about mistakes in them."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.budget import Ban, Budget, Maximum, NothingNew
from syswatch.checking.reading import BudgetError, read_budget

from .samples import budget_of

_WHOLE = """
tolerance = "10 %"
inexact = "warn"

[calls]
total = 1500
"%net" = { max = 12, tolerance = 3 }

[errors]
tolerance = 2
ENOENT = 35
connect.ECONNREFUSED = 0
openat = { max = 9, ENOENT = 8 }

[bytes.in]
total = "1.5 MiB"

[bytes.out]
write = 100

[waiting]
fsync = { max = "300 ms", tolerance = "50 ms" }

[forbidden]
calls = [
    "ptrace",
    "%clock",
]
peers = ["*:25"]

[allowed]
peers = "10.0.0.1"

[nothing-new]
since = ["base.json", "http://localhost:8080"]
kinds = ["peers"]
"""
# A budget, and the end of the sentence about its mistake.
_MISTAKES = {
    "": "the budget is empty: nothing would be checked",
    "[calls\nread = 1": "not valid TOML: expected ']' at the end of a table declaration"
    " (at line 1, column 7)",
    "[cals]\nx = 1": "1: unknown key 'cals' (did you mean 'calls'?)",
    "calls = 5": "1: calls must be a table, as in [calls]",
    "[calls]\n\nopnat = 5": "3: calls.opnat: unknown system call 'opnat'; did you mean openat or"
    " openat2 or open?",
    '[calls]\n"%nett" = 5': "2: calls.%nett: unknown class of system calls '%nett';"
    " did you mean %net?",
    "[calls]\nread = true": "2: calls.read: invalid value true (expected a whole number, such as"
    " 100)",
    "[calls]\nread = -1": "2: calls.read: invalid value -1 (expected a whole number, such as 100)",
    "[calls]\nread = 1.5": "2: calls.read: invalid value 1.5 (expected a whole number, such as"
    " 100)",
    "[calls]\nread = 99999999999999999999": "2: calls.read: invalid value 99999999999999999999"
    " (expected a whole number, such as 100)",
    "[calls]\nread = {}": "2: 'max' is missing in calls.read",
    "[calls]\nread = { max = 1, tolerence = 2 }": "2: unknown key 'tolerence' in calls.read"
    " (did you mean 'tolerance'?)",
    "[calls]\nENOENT = 1": "2: calls.ENOENT: unknown system call 'ENOENT'",
    "[errors]\nENOENTT = 1": "2: errors.ENOENTT: unknown error 'ENOENTT'; did you mean 'ENOENT'?",
    "[bytes]\nread = 1": "2: unknown key 'read' in bytes (choose from in, out)",
    '[bytes.in]\nread = "3 parsecs"': "2: bytes.in.read: invalid value '3 parsecs' (expected a"
    " number of bytes, such as 4096 or '10 MiB')",
    "[waiting]\nread = 3": "2: waiting.read: invalid value 3 (expected a duration, such as"
    " '300 ms' or '2 s')",
    "tolerance = 3\n[calls]\nread = 1": "1: tolerance: invalid value 3 (expected a percentage,"
    " such as '10 %')",
    '[calls]\nread = { max = 1, tolerance = "x" }': "2: calls.read.tolerance: invalid value 'x'"
    " (expected a percentage, such as '10 %', or a whole number, such as 100)",
    'inexact = "ignore"\n[calls]\nread = 1': "1: inexact: invalid value 'ignore' (choose from"
    " fail, warn)",
    "[forbidden]\ncalls = 3": "2: forbidden.calls: expected a string or a list of strings",
    "[forbidden]\ncalls = []": "2: forbidden.calls: the value is empty",
    '[forbidden]\npaths = ["/etc",\n"etc"]': "3: forbidden.paths: 'etc': a path begins with '/',"
    " '~' or '*'",
    '[forbidden]\npeers = "10.0.0.0/99"': "2: forbidden.peers: '10.0.0.0/99': '10.0.0.0/99' is"
    " not an IP address or network",
    '[forbidden]\npeers = "a:b"': "2: forbidden.peers: 'a:b': 'b' is not a port",
    '[allowed]\npeers = "a"': "1: [allowed] has no effect without [forbidden]",
    '[forbidden]\ncalls = "read"\n[allowed]\npeers = "a"': "4: allowed.peers has no effect"
    " without forbidden.peers",
    "[nothing-new]\nkinds = 'paths'": "1: 'since' is missing in [nothing-new]: the baseline, or"
    " several",
    "[nothing-new]\nsince = '~no-such-user/a'": "2: nothing-new.since: '~no-such-user/a': the home"
    " directory is not known",
    '[forbidden]\npaths = "~no-such-user/a"': "2: forbidden.paths: '~no-such-user/a': the home"
    " directory is not known",
    "[nothing-new]\nsince = 'a'\nkinds = ['path']": "3: nothing-new.kinds: invalid value 'path'"
    " (did you mean 'paths'?)",
}


class ReadingTests(SynchronousTestCase):
    """Budgets without mistakes."""

    def test_whole(self) -> None:
        """Every kind of entry is read, with its tolerance and its line."""
        budget = budget_of(_WHOLE)
        limits = [each for each in budget.entries if isinstance(each, Maximum)]
        self.assertEqual(
            [
                ("calls.total", 1650, 6),
                ("calls.%net", 15, 7),
                ("errors.ENOENT", 37, 11),
                ("errors.connect.ECONNREFUSED", 2, 12),
                ("errors.openat", 11, 13),
                ("errors.openat.ENOENT", 10, 13),
                ("bytes.in.total", 1_730_150, 16),
                ("bytes.out.write", 110, 19),
                ("waiting.fsync", 350_000_000, 22),
            ],
            [(each.place.text, each.limit, budget.line(each)) for each in limits],
        )
        bans = [each for each in budget.entries if isinstance(each, Ban)]
        self.assertEqual(
            [
                ("forbidden.calls 'ptrace'", 26),
                ("forbidden.calls '%clock'", 27),
                ("forbidden.peers '*:25'", 29),
            ],
            [(each.place.text, budget.line(each)) for each in bans],
        )
        self.assertEqual("10.0.0.1", bans[2].allowed[0].text)
        self.assertFalse(budget.inexact_fails)
        (new,) = (each for each in budget.entries if isinstance(each, NothingNew))
        self.assertEqual(
            (str(budget.file.parent / "base.json"), "http://localhost:8080"), budget.baselines
        )
        self.assertEqual({"peer"}, {kind.value for kind in new.kinds})

    def test_pyproject(self) -> None:
        """In a pyproject.toml, the budget is a table, and lines are those of the file."""
        text = '[project]\nname = "x"\n\n[tool.syswatch.calls]\nread = 3\n'
        budget = budget_of(text, "pyproject.toml")
        self.assertEqual([5], [budget.line(each) for each in budget.entries])
        with self.assertRaisesRegex(BudgetError, r"pyproject.toml: there is no table \[tool.sys"):
            budget_of('[project]\nname = "x"\n', "pyproject.toml")
        with self.assertRaisesRegex(BudgetError, r"toml:2: tool.syswatch must be a table, as in"):
            budget_of("[tool]\nsyswatch = 3\n", "pyproject.toml")

    def test_order(self) -> None:
        """The order of tables does not matter."""
        tables = _WHOLE.split("\n\n")
        other: Budget = budget_of("\n\n".join([tables[0], *reversed(tables[1:])]))
        self.assertEqual(
            {each.place: each for each in budget_of(_WHOLE).entries if isinstance(each, Maximum)},
            {each.place: each for each in other.entries if isinstance(each, Maximum)},
        )


class MistakeTests(SynchronousTestCase):
    """Budgets with mistakes."""

    def test_sentences(self) -> None:
        """Each mistake is one sentence with its line."""
        for text, expected in _MISTAKES.items():
            with self.assertRaises(BudgetError, msg=text) as caught:
                budget_of(text)
            _, _, sentence = str(caught.exception).partition("syswatch.toml:")
            self.assertEqual(expected, sentence.strip(), text)

    def test_unreadable(self) -> None:
        """A file that is missing or is not text is named."""
        missing = Path(self.mktemp())
        with self.assertRaisesRegex(BudgetError, "No such file or directory"):
            read_budget(missing)
        missing.write_bytes(b"\xff\xfe")
        with self.assertRaisesRegex(BudgetError, "the file is not UTF-8 text"):
            read_budget(missing)
