"""Tests of compiled filters: against the profile, libseccomp, and the kernel."""

import json
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.profiles.actions import ALLOW, REFUSE, Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES, X32_BIT, Architecture
from syswatch.profiles.bpf.compiling import compile_profile
from syswatch.profiles.bpf.instructions import Instruction, ProgramError, decode, encode
from syswatch.profiles.bpf.interpreting import Call, interpret, verify
from syswatch.profiles.conditions import ALL_BITS, Condition, Known, Operator
from syswatch.profiles.formats import bwrap
from syswatch.profiles.profile import Profile, Reasons, Rule

from .libseccomp import filter_of, libseccomp_is_installed
from .strategies import CALLS, allowlists, arguments, profiles, words

_X86_64 = ARCHITECTURES["x86_64"]
_ALL = tuple(ARCHITECTURES[name] for name in ("x86_64", "i386", "x32", "aarch64"))
# Installs the filter of its first argument, makes the calls of the second one, and prints errnos.
_ENFORCED = """
import ctypes, json, sys
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
libc = ctypes.CDLL(None, use_errno=True)
content = bytes.fromhex(sys.argv[1])
program = Program(len(content) // 8, content)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program)) == 0, ctypes.get_errno()
errnos = []
for number, argument in json.loads(sys.argv[2]):
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), ctypes.c_ulong(argument), *[ctypes.c_ulong(0)] * 5)
    errnos.append(ctypes.get_errno())
print(errnos)
"""


def _known(values: tuple[int, ...]) -> dict[int, Known]:
    return dict(enumerate(map(Known, values)))


class CompiledTests(SynchronousTestCase):
    """Compiled filters in the interpreter."""

    def test_unnamed(self) -> None:
        """A call without a name is found by its number, unless that is the number of another."""
        calls = ("syscall_0x3e7", "syscall_0x1", "syscall_other", "syscall_0x1ffffffff")
        x86_64, x32 = _X86_64, ARCHITECTURES["x32"]
        profile = Profile({Rule(call): Reasons() for call in calls}, (x86_64, x32))
        written = bwrap.write(profile)
        found = bwrap.read(written.content)
        for call, architecture, answer in (
            ("syscall_0x3e7", x86_64, ALLOW),
            ("syscall_0x3e7", x32, ALLOW),
            ("syscall_0x3e8", x86_64, REFUSE),
            ("write", x86_64, REFUSE),
            ("syscall_other", x86_64, None),
        ):
            self.assertEqual(answer, found.answer(call, {}, architecture), (call, architecture))
        (loss,) = written.losses
        unknown = "syscall_0x1, syscall_0x1ffffffff, syscall_other"
        self.assertEqual(f"{unknown}: the numbers of these calls are not known", loss)

    @given(profiles(), st.sampled_from(_ALL), arguments)
    def test_agrees_with_profile(
        self, profile: Profile, architecture: Architecture, values: tuple[int, ...]
    ) -> None:
        """The filter does with each call what the profile says."""
        program = decode(encode(compile_profile(profile)))
        for call in set(CALLS) & architecture.numbers.keys():
            number = architecture.numbers[call]
            found = interpret(program, Call(number, architecture.audit, _known(values)))
            self.assertEqual(found, profile.answer(call, _known(values), architecture), call)

    def test_long(self) -> None:
        """Jumps reach over rules that take more than 255 instructions."""
        values = range(1000, 1400)
        rules = {Rule("ioctl", (Condition(1, Operator.EQ, each),)): Reasons() for each in values}
        rules |= {Rule(call): Reasons() for call in ("read", "setns", "accept")}
        program = compile_profile(Profile(rules, _ALL[:2]))
        self.assertGreater(len(program), 2000)
        for architecture in _ALL[:2]:
            numbers = architecture.numbers
            for call, value, permits in (
                ("ioctl", 1000, True),
                ("ioctl", 1399, True),
                ("ioctl", 1400, False),
                ("setns", 0, True),
                ("read", 0, True),
                ("ptrace", 0, False),
            ):
                found = interpret(
                    program, Call(numbers[call], architecture.audit, _known((0, value)))
                )
                self.assertEqual(found == ALLOW, permits, (architecture.name, call, value))

    def test_too_long(self) -> None:
        """A filter that the kernel would not take is an error."""
        rules = {Rule("ioctl", (Condition(1, Operator.EQ, each),)) for each in range(2000)}
        profile = Profile(dict.fromkeys(rules, Reasons()), [_X86_64])
        error = self.assertRaises(ProgramError, compile_profile, profile)
        self.assertIn("too long for a seccomp filter", str(error))

    def test_x32_is_not_x86_64(self) -> None:
        """A call with the bit of x32 is refused if the profile is for x86_64 only."""
        program = compile_profile(Profile({Rule("read"): Reasons()}, [_X86_64]))
        verify(program)
        found = [
            interpret(program, Call(number, _X86_64.audit, {})) == ALLOW for number in (0, X32_BIT)
        ]
        self.assertEqual(found, [True, False])

    def test_damaged(self) -> None:
        """What is not a program is refused with a sentence."""
        for content in (b"", b"1234567", bytes(8 * 4097)):
            self.assertRaises(ProgramError, decode, content)
        for instruction in (Instruction(0x20, 64), Instruction(0x99), Instruction(0x20, 0)):
            self.assertRaises(ProgramError, verify, [instruction])


class LibseccompTests(SynchronousTestCase):
    """The same profile in libseccomp, which container runtimes use."""

    if not libseccomp_is_installed():
        skip = "libseccomp.so.2 is not installed"

    @settings(max_examples=40)
    @given(allowlists, st.lists(arguments, min_size=1, max_size=4))
    def test_agrees(self, profile: Profile, many: list[tuple[int, ...]]) -> None:
        """Its filter permits the same calls."""
        native = Profile(profile.rules, [_X86_64], profile.default)
        program = decode(filter_of(native))
        for values in many:
            for call in set(CALLS) & _X86_64.numbers.keys():
                found = interpret(
                    program, Call(_X86_64.numbers[call], _X86_64.audit, _known(values))
                )
                self.assertEqual(found, native.answer(call, _known(values)), call)


class KernelTests(SynchronousTestCase):
    """The same profile in the kernel."""

    def _errnos(self, profile: Profile, calls: list[tuple[int, int]]) -> list[int]:
        content = encode(compile_profile(profile))
        found = subprocess.run(
            [sys.executable, "-S", "-c", _ENFORCED, content.hex(), json.dumps(calls)],
            capture_output=True,
            check=False,
            timeout=60,
        )
        self.assertEqual((found.returncode, found.stderr), (0, b""))
        errnos: list[int] = json.loads(found.stdout)
        return errnos

    @settings(max_examples=8, deadline=None)
    @given(st.lists(words, min_size=3, max_size=30, unique=True), st.sampled_from(Operator))
    def test_conditions(self, values: list[int], operator: Operator) -> None:
        """The kernel compares arguments as the profile does."""
        mask = values[0] if operator is Operator.MASKED_EQ else ALL_BITS
        condition = Condition(0, operator, values[1] & mask, mask)
        rule = Rule("getppid", (condition,), Action(ActionKind.ERRNO, 77))
        profile = Profile({rule: Reasons()}, [_X86_64], ALLOW)
        number = _X86_64.numbers["getppid"]  # which ignores arguments
        errnos = self._errnos(profile, [(number, value) for value in values])
        self.assertEqual(
            [errno == 77 for errno in errnos], [condition.holds(value) for value in values]
        )

    def test_many_calls(self) -> None:
        """Each of many refused calls gets its own errno, and the others are made."""
        refused = ("getppid", "getpgrp", "gettid", "getuid", "geteuid", "getgid", "getegid")
        rules = {
            Rule(call, action=Action(ActionKind.ERRNO, 100 + number)): Reasons()
            for number, call in enumerate(refused)
        }
        calls = [(_X86_64.numbers[call], 0) for call in (*refused, "getpid", "sched_yield")]
        errnos = self._errnos(Profile(rules, [_X86_64], ALLOW), calls)
        self.assertEqual(errnos, [100, 101, 102, 103, 104, 105, 106, 0, 0])
