"""Hypothesis strategies for profiles, and calls to ask them about."""

from hypothesis import strategies as st

from syswatch.model.evidence import EvidenceKey
from syswatch.model.ruled_arguments import ruled_calls, ruled_values
from syswatch.profiles.actions import Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import ALL_BITS, INT_BITS, Condition, Operator
from syswatch.profiles.profile import Profile, Reasons, Rule, Sighting
from tests.strategies import evidence_tallies

# Few calls, so that rules meet. Some architectures do not have all of them.
CALLS = ("clone", "ioctl", "mmap", "open", "openat", "read", "socket", "socketcall", "time")
REFUSALS = (
    Action(ActionKind.KILL_PROCESS),
    Action(ActionKind.KILL_THREAD),
    Action(ActionKind.TRAP),
    Action(ActionKind.ERRNO, 1),
    Action(ActionKind.ERRNO, 38),
)
ACTIONS = (*REFUSALS, Action(ActionKind.LOG), Action(ActionKind.ALLOW))
# Those that are compared with are likely to be arguments, too.
words = st.sampled_from(
    (0, 1, 2, 6, 0x7E020000, INT_BITS, INT_BITS + 1, INT_BITS + 2, 1 << 63, ALL_BITS)
) | st.integers(0, ALL_BITS)
arguments = st.tuples(*[words] * 6)
sentences = st.sampled_from(("always needed", "equivalent of open: it does the same"))
sightings = st.builds(Sighting, st.integers(1, 1 << 40), st.integers(0, 1 << 62))
reasons = st.builds(
    Reasons,
    st.dictionaries(st.sampled_from(("nginx", "sh")), sightings, max_size=2),
    st.frozensets(sentences, max_size=2),
)


@st.composite
def conditions(draw: st.DrawFn, index: int | None = None) -> Condition:
    """Draw a condition, of one argument or of any."""
    operator = draw(st.sampled_from(Operator))
    mask = draw(words) if operator is Operator.MASKED_EQ else ALL_BITS
    index = draw(st.integers(0, 2)) if index is None else index
    return Condition(index, operator, draw(words) & mask, mask)


@st.composite
def condition_lists(draw: st.DrawFn) -> tuple[Condition, ...]:
    """Draw conditions of different arguments, as libseccomp takes them."""
    indices = draw(st.frozensets(st.integers(0, 5), max_size=3))
    return tuple(draw(conditions(index)) for index in sorted(indices))


def profiles(
    actions: tuple[Action, ...] = ACTIONS,
    defaults: tuple[Action, ...] = ACTIONS,
    architectures: tuple[str, ...] = ("x86_64", "i386", "x32", "aarch64"),
) -> st.SearchStrategy[Profile]:
    """Return a strategy for profiles."""
    rules = st.builds(Rule, st.sampled_from(CALLS), condition_lists(), st.sampled_from(actions))
    chosen = st.sets(st.sampled_from(architectures), min_size=1)
    return st.builds(
        Profile,
        st.dictionaries(rules, reasons, max_size=12),
        chosen.map(lambda names: [ARCHITECTURES[name] for name in names]),
        st.sampled_from(defaults),
    )


@st.composite
def evidence_keys(draw: st.DrawFn) -> EvidenceKey:
    """Draw some calls with arguments as tracers report them, or with unknown ones."""
    architecture = draw(st.sampled_from(("", "x86_64", "i386", "x32")))
    known = ARCHITECTURES[architecture or "x86_64"].numbers.keys()
    call = draw(st.sampled_from(sorted(known & {*CALLS, *ruled_calls(), "fork", "clone3"})))
    registers = draw(arguments)
    values = ruled_values(call, architecture, registers) if draw(st.booleans()) else ()
    program = draw(st.sampled_from(("", "nginx", "sh")))
    return EvidenceKey(call, values, architecture, program, draw(st.booleans()))


evidences = st.dictionaries(evidence_keys(), evidence_tallies, max_size=8)
allowlists = profiles(actions=(Action(ActionKind.ALLOW),), defaults=REFUSALS)
