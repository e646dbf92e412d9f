"""Tests of writing and reading profiles in the formats that carry all of a profile."""

import json

import attrs
import jsonschema
import yaml
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.profiles.architectures import ARCHITECTURES, Architecture
from syswatch.profiles.basis import Basis
from syswatch.profiles.bpf import instructions as bpf
from syswatch.profiles.bpf.instructions import Instruction
from syswatch.profiles.capabilities import DOCKER_CAPABILITIES
from syswatch.profiles.checking import check
from syswatch.profiles.conditions import Condition, Known, Operator
from syswatch.profiles.formats import CONTENTS, bwrap, json_form, kubernetes, oci, text
from syswatch.profiles.formats.outcome import FormatError, Loaded, Target
from syswatch.profiles.formats.registry import WRITERS, read_any
from syswatch.profiles.formats.yaml import YamlError
from syswatch.profiles.formats.yaml import read as read_yaml
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.occurrences import Occurrences, Origin, Process, Processes, Sample
from syswatch.profiles.profile import NO_REASONS, Profile, Rule
from tests.strategies import evidences

from .samples import SERVER, seen
from .schemas import OPERATOR, RUNTIME
from .strategies import CALLS, arguments, profiles

_TARGET = Target("x86_64", DOCKER_CAPABILITIES)
_DOCKER = {
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 1,
    "archMap": [
        {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86"]},
        {"architecture": "SCMP_ARCH_RISCV64", "subArchitectures": None},
    ],
    "syscalls": [
        {"names": ["read"], "action": "SCMP_ACT_ALLOW"},
        {"names": ["chroot"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_CHROOT"]}},
        {"names": ["bpf"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_BPF"]}},
        {"names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64"]}},
        {
            "names": ["s390_runtime_instr"],
            "action": "SCMP_ACT_ALLOW",
            "includes": {"arches": ["s390x"]},
        },
        {"names": ["ptrace"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "4.8"}},
        {"names": ["fsopen"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "7.0"}},
        {
            "names": ["clone3"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": 38,
            "excludes": {"caps": ["CAP_SYS_ADMIN"]},
        },
        {"names": ["mount"], "action": "SCMP_ACT_ALLOW", "excludes": {"arches": ["amd64"]}},
        {
            "names": ["clone"],
            "action": "SCMP_ACT_ALLOW",
            "args": [{"index": 0, "value": 2114060288, "op": "SCMP_CMP_MASKED_EQ"}],
        },
        {
            "names": ["socket"],
            "action": "SCMP_ACT_ALLOW",
            "args": [
                {"index": 0, "value": 1, "op": "SCMP_CMP_EQ"},
                {"index": 0, "value": 2, "op": "SCMP_CMP_EQ"},
            ],
        },
    ],
}
_WRONG_INDEX = {
    "defaultAction": "SCMP_ACT_KILL",
    "syscalls": [
        {
            "names": ["read"],
            "action": "SCMP_ACT_ALLOW",
            "args": [{"index": 9, "value": 1, "op": "SCMP_CMP_EQ"}],
        }
    ],
}


class RoundTripTests(SynchronousTestCase):
    """What was written is read as the same profile."""

    @given(profiles())
    def test_json(self, profile: Profile) -> None:
        """Our own format keeps everything, with the reasons."""
        written = json_form.write(profile)
        self.assertEqual(json_form.read(written.content).profile, profile)
        self.assertEqual(written.losses, ())

    @given(profiles())
    def test_text(self, profile: Profile) -> None:
        """Text keeps everything but the reasons."""
        self.assertEqual(read_any(text.write(profile).content, _TARGET), Loaded(profile.bare))

    @given(evidences)
    def test_text_of_arguments(self, evidence: Evidence) -> None:
        """Text names the arguments that rules depend on, and is read by these names."""
        profile = needed(evidence, Wanted())
        self.assertEqual(read_any(text.write(profile).content, _TARGET), Loaded(profile.bare))

    @given(profiles(), evidences)
    def test_evidence(self, profile: Profile, evidence: Evidence) -> None:
        """Our own format can carry the evidence, of which it names the architecture."""
        content = json_form.write(profile, Basis(evidence), "riscv64").content
        self.assertEqual(json_form.read(content).profile, profile)
        expected: dict[EvidenceKey, EvidenceTally] = {}
        for key, tally in evidence.items():
            named = key._replace(architecture=key.architecture or "riscv64")
            expected[named] = expected.get(named, EvidenceTally()) + tally
        self.assertEqual(expected, json_form.read_basis(content).evidence)

    def test_basis(self) -> None:
        """It can carry the files, and where calls were made."""
        basis = Basis(
            seen("read", architecture="x86_64"),
            frozenset({"/bin/ls"}),
            frozenset({"/var/a"}),
            Occurrences(
                {Origin("read", "ls"): Processes((Process(5, 7, "ls", ("/a", "/b"), 1),), 2)},
                {"read": [Sample(7, "ls", '3, "x", 1')]},
            ),
            ("3 calls were lost",),
        )
        profile = needed(basis.evidence, Wanted())
        self.assertEqual(basis, json_form.read_basis(json_form.write(profile, basis).content))
        unknown = attrs.evolve(basis, written=None)
        content = json_form.write(profile, unknown).content
        self.assertEqual(unknown, json_form.read_basis(content))
        odd = content.replace(b'"Pid": 7', b'"Pid": -7')
        self.assertRaises(FormatError, json_form.read_basis, odd)

    def test_odd_evidence(self) -> None:
        """Without evidence there is none; numbers that no tracer sends are refused."""
        self.assertEqual(
            {}, json_form.read_basis(json_form.write(needed(SERVER, Wanted())).content).evidence
        )
        document = json.loads(
            json_form.write(needed(SERVER, Wanted()), Basis(seen("read"))).content
        )
        for name, value in (
            ("Count", -1),
            ("FirstNs", 10**30),
            ("Values", ["x"]),
            ("Program", 7),
            ("Architecture", "sparc"),
        ):
            odd = {**document, "Evidence": [{**document["Evidence"][0], name: value}]}
            with self.assertRaises(FormatError, msg=name):
                json_form.read_basis(json.dumps(odd).encode())

    @given(profiles())
    def test_oci(self, profile: Profile) -> None:
        """The format of the runtime-spec keeps everything but the reasons, and has its schema."""
        written = oci.write(profile)
        jsonschema.validate(json.loads(written.content), RUNTIME)
        self.assertEqual(oci.read(written.content, _TARGET).profile, profile.bare)
        self.assertEqual(written.losses, ())

    @given(profiles())
    def test_kubernetes(self, profile: Profile) -> None:
        """A manifest says what is lost, has its schema, and is the YAML that others read."""
        written = kubernetes.write(profile, "My server")
        manifest = yaml.safe_load(written.content)
        jsonschema.validate(manifest, OPERATOR)
        self.assertEqual(read_yaml(written.content.decode()), manifest)
        if not written.losses:
            for content in (written.content, json.dumps(manifest).encode()):
                self.assertEqual(kubernetes.read(content, _TARGET).profile, profile.bare)

    @given(profiles(), st.sampled_from(tuple(ARCHITECTURES.values())[:4]), arguments)
    def test_bwrap(
        self, profile: Profile, architecture: Architecture, values: tuple[int, ...]
    ) -> None:
        """A filter from a file answers as its profile, as far as the arguments are known."""
        filter_ = bwrap.read(bwrap.write(profile).content)
        known = dict(enumerate(map(Known, values)))
        for call in set(CALLS) & architecture.numbers.keys():
            expected = profile.answer(call, known, architecture)
            self.assertEqual(filter_.answer(call, known, architecture), expected)
            unsure = filter_.answer(call, {}, architecture)
            self.assertIn(unsure, (None, expected))

    def test_same_argument_twice(self) -> None:
        """Runtimes take two conditions of one argument as alternatives: one of them is lost."""
        conditions = (Condition(0, Operator.GT, 1), Condition(0, Operator.LT, 9))
        profile = Profile({Rule("dup", conditions): NO_REASONS}, [ARCHITECTURES["x86_64"]])
        self.assertEqual(
            oci.write(profile).losses, ("dup: only one condition of each argument is written",)
        )


class DockerTests(SynchronousTestCase):
    """Docker's profiles, which depend on the machine."""

    def _calls(self, target: Target) -> frozenset[str]:
        return oci.read(json.dumps(_DOCKER).encode(), target).profile.calls

    def test_default(self) -> None:
        """Entries for other machines and capabilities are left out."""
        common = {"arch_prctl", "chroot", "clone", "ptrace", "read", "socket"}
        self.assertEqual(self._calls(_TARGET), common)
        bpf = Target("x86_64", frozenset({"CAP_BPF"}), (4, 4))
        self.assertEqual(self._calls(bpf), common - {"chroot", "ptrace"} | {"bpf"})

    def test_architectures(self) -> None:
        """Those of the machine's entry are used."""
        profile = oci.read(json.dumps(_DOCKER).encode(), _TARGET).profile
        self.assertEqual([each.name for each in profile.architectures], ["i386", "x86_64"])

    def test_alternatives(self) -> None:
        """Several conditions of one argument are alternatives, as container runtimes take them."""
        profile = oci.read(json.dumps(_DOCKER).encode(), _TARGET).profile
        answers = [profile.answer("socket", {0: Known(family)}) for family in (1, 2, 3)]
        self.assertEqual(
            [each is not None and each.permits for each in answers], [True, True, False]
        )


class AnyFormatTests(SynchronousTestCase):
    """Files whose format is not named."""

    def test_recognized(self) -> None:
        """Each format that can be read is recognized."""
        profile = needed(SERVER, Wanted())
        self.assertEqual(list(WRITERS), list(CONTENTS))
        for name in WRITERS.keys() - {"text"}:
            found = read_any(WRITERS[name](profile).content, _TARGET)
            answerer = found.profile if isinstance(found, Loaded) else found
            outcome = check(answerer, SERVER | seen("ptrace"), "x86_64")
            self.assertEqual([each.key.call for each in outcome.refusals], ["ptrace"], name)

    @given(st.binary(max_size=64))
    def test_other_content(self, content: bytes) -> None:
        """Any content is read or refused; nothing else happens."""
        try:
            read_any(content, _TARGET)
        except FormatError:
            return


class MistakeTests(SynchronousTestCase):
    """Files that are not profiles."""

    def test_no_format(self) -> None:
        """A text that is nothing of a unit is not taken for one."""
        for content in (b"", b"close(3) = 0\n", b"ExecStart=/bin/true\n"):
            error = self.assertRaises(FormatError, read_any, content, _TARGET)
            self.assertIn("not a profile in a format that can be read: text, json", str(error))
        for content in (b"[Service]\n", b"SystemCallFilter=\n"):
            error = self.assertRaises(FormatError, read_any, content, _TARGET)
            self.assertIn("the unit has no", str(error))

    def test_sentences(self) -> None:
        """Each mistake is one sentence."""
        for content in (
            b"",
            b"\xff\xfe",
            b"{}",
            b"[1]",
            b'{"defaultAction": "SCMP_ACT_MAYBE"}',
            b'{"defaultAction": "SCMP_ACT_KILL", "architectures": ["SCMP_ARCH_Z80"]}',
            json.dumps(_WRONG_INDEX).encode(),
        ):
            error = self.assertRaises(FormatError, oci.read, content, _TARGET)
            self.assertNotIn("\n", str(error))
            self.assertRaises(FormatError, json_form.read, content)
            self.assertRaises(FormatError, kubernetes.read, content, _TARGET)
            self.assertRaises(FormatError, bwrap.read, content)

    def test_instructions(self) -> None:
        """A program that is no filter, or does what no filter here does, is refused at once."""
        load, end = Instruction(bpf.LOAD), Instruction(bpf.RETURN)
        for program, why in (
            ([load], "end without an answer"),
            ([load, Instruction(bpf.JUMP, 1), end], "end without an answer"),
            ([load, Instruction(bpf.JUMP_EQUAL, 0, 0, 1), end], "end without an answer"),
            ([Instruction(bpf.LOAD, 2), end], "it reads at 2"),
            ([Instruction(bpf.LOAD, 64), end], "it reads at 64"),
            ([load, Instruction(0x04, 1), end], "unknown instruction 0x04"),
        ):
            error = self.assertRaises(FormatError, bwrap.read, bpf.encode(program))
            self.assertIn(why, str(error))

    def test_text(self) -> None:
        """Each mistake in text that was changed by hand is one sentence."""
        written = text.write(needed(SERVER, Wanted())).content.decode()
        for old, new, message in (
            ("Architectures:", "For:", "the first line, the table or the last line"),
            ("CALL ", "CALLS", "the first line, the table or the last line"),
            ("x86_64", "pdp11", "unknown architecture: pdp11"),
            ("any arguments", "all arguments", "unknown condition: all arguments"),
            ("AF_INET", "AF_OUTER", "socket: unknown name: AF_OUTER"),
            ("fail with EPERM", "be nice", "says nothing that a filter can do: it would be nice"),
        ):
            changed = written.replace(old, new).encode()
            error = self.assertRaises(FormatError, read_any, changed, _TARGET)
            self.assertIn(message, str(error))

    def test_quotes(self) -> None:
        """A text in single quotes ends with one, and a comment may follow."""
        self.assertEqual({"a": ["it's", "b"]}, read_yaml("a:\n- 'it''s' # it's\n- 'b'\n"))
        for line in ("- 'read", "- 'read' x", "- 'read'#x"):
            self.assertRaises(YamlError, read_yaml, f"a:\n{line}\n")

    @given(st.text(max_size=200))
    def test_yaml(self, content: str) -> None:
        """Any text is read or refused; nothing else happens."""
        try:
            read_yaml(content)
        except YamlError:
            return


class TextTests(SynchronousTestCase):
    """Profiles as text."""

    def test_first_line(self) -> None:
        """The first line answers how much is permitted."""
        shown = text.write(needed(SERVER | seen("ptrace"), Wanted())).content.decode()
        first = shown.splitlines()[0]
        self.assertIn("9 were seen (111 calls)", first)
        self.assertIn("1 of them weakens the sandbox", first)
        self.assertIn("ptrace: controls other processes", shown)

    def test_reasons(self) -> None:
        """Each line says why the call is in: by which program, when first."""
        shown = text.write(needed(SERVER, Wanted())).content.decode()
        (line,) = [each for each in shown.splitlines() if each.startswith("openat ")]
        self.assertRegex(line, r"any arguments +7  made by server; first at 2023-11-1[45] ")
        self.assertIn("address family AF_INET", shown)
        self.assertTrue(shown.endswith("Everything else: it would fail with EPERM.\n"))
