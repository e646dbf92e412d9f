"""What the runtime-spec and the Security Profiles Operator accept, as JSON Schema."""

_ACTIONS = [
    "KILL",
    "KILL_PROCESS",
    "KILL_THREAD",
    "TRAP",
    "ERRNO",
    "TRACE",
    "ALLOW",
    "LOG",
    "NOTIFY",
]
_OPERATORS = ["NE", "LT", "LE", "EQ", "GE", "GT", "MASKED_EQ"]
_ARCHITECTURES = """
    X86 X86_64 X32 ARM AARCH64 MIPS MIPS64 MIPS64N32 MIPSEL MIPSEL64 MIPSEL64N32 PPC PPC64 PPC64LE
    S390 S390X PARISC PARISC64 RISCV64
""".split()  # noqa: SIM905  one name per line would be a page


def _names(prefix: str, names: list[str]) -> dict[str, object]:
    return {"enum": [f"SCMP_{prefix}_{name}" for name in names]}


def _schema(largest: int, architectures: list[str], more: dict[str, object]) -> dict[str, object]:
    """Return the schema of a profile: what both have, and what only one of them has."""
    number = {"type": "integer", "minimum": 0, "maximum": largest}
    argument = {
        "type": "object",
        "properties": {
            "index": {"type": "integer", "minimum": 0, "maximum": 5},
            "value": number,
            "valueTwo": number,
            "op": _names("CMP", _OPERATORS),
        },
        "required": ["index", "value", "op"],
        "additionalProperties": False,
    }
    call = {
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "action": _names("ACT", _ACTIONS),
            "errnoRet": {"type": "integer", "minimum": 0},
            "args": {"type": "array", "items": argument, "maxItems": 6},
        },
        "required": ["names", "action"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "defaultAction": _names("ACT", _ACTIONS),
            "architectures": {"type": "array", "items": _names("ARCH", architectures)},
            "syscalls": {"type": "array", "items": call},
            **more,
        },
        "required": ["defaultAction"],
        "additionalProperties": False,
    }


RUNTIME = _schema(
    (1 << 64) - 1, [*_ARCHITECTURES, "LOONGARCH64"], {"defaultErrnoRet": {"type": "integer"}}
)
OPERATOR = {
    "type": "object",
    "properties": {
        "apiVersion": {"const": "security-profiles-operator.x-k8s.io/v1beta1"},
        "kind": {"const": "SeccompProfile"},
        "metadata": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"}
            },
            "required": ["name"],
        },
        "spec": _schema((1 << 63) - 1, _ARCHITECTURES, {"baseProfileName": {"type": "string"}}),
    },
    "required": ["apiVersion", "kind", "metadata", "spec"],
}
