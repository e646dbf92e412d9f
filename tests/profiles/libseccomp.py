"""Filters that libseccomp makes of profiles, in the way of container runtimes."""

import ctypes
import ctypes.util
import os
from functools import cache

from syswatch.profiles.bpf.returns import number_of
from syswatch.profiles.conditions import Condition, Operator
from syswatch.profiles.profile import Profile

# enum scmp_compare
_OPERATORS = {operator: number for number, operator in enumerate(Operator, 1)}


class _Comparison(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = (
        ("index", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


@cache
def libseccomp_is_installed() -> bool:
    """Return whether there is a library to compare with."""
    return ctypes.util.find_library("seccomp") is not None


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_release.argtypes = [ctypes.c_void_p]
    library.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.POINTER(_Comparison),
    ]
    return library


def filter_of(profile: Profile) -> bytes:
    """Return the filter of a profile for the architecture of this machine."""
    library = _library()
    context = library.seccomp_init(number_of(profile.default))
    try:
        for rule in profile.rules:
            comparisons = [_comparison(each) for each in rule.conditions]
            array = (_Comparison * len(comparisons))(*comparisons)
            number = library.seccomp_syscall_resolve_name(rule.call.encode())
            status = library.seccomp_rule_add_array(
                context, number_of(rule.action), number, len(comparisons), array
            )
            assert status == 0, (rule, os.strerror(-status))
        return _exported(context)
    finally:
        library.seccomp_release(context)


def _comparison(condition: Condition) -> _Comparison:
    number = _OPERATORS[condition.operator]
    if condition.operator is Operator.MASKED_EQ:
        return _Comparison(condition.index, number, condition.mask, condition.value)
    return _Comparison(condition.index, number, condition.value, 0)


def _exported(context: int) -> bytes:
    file = os.memfd_create("filter")
    try:
        assert _library().seccomp_export_bpf(context, file) == 0
        return os.pread(file, 1 << 20, 0)
    finally:
        os.close(file)
