"""Whether the tracer may trace what it has forked."""

import ctypes

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4
# Three sets of 64 capabilities: the effective, the permitted and the inheritable ones of the lower
# half, and then those of the upper one.
_VERSION_3 = 0x2008_0522
_HALVES, _EFFECTIVE, _PERMITTED = range(0, 6, 3), 0, 1


def become_traceable() -> None:
    """
    Let other processes of this user trace this one, which is about to become a command.

    A process with capabilities from a file is protected, also from the tracer that has forked it
    (`fs.suid_dumpable`).  The command will have none of them, so they are given up here.
    """
    library = ctypes.CDLL(None)
    if library.prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 1:
        return
    header, sets = (ctypes.c_uint32 * 2)(_VERSION_3), (ctypes.c_uint32 * 6)()
    if library.capget(header, sets) < 0:
        return
    for half in _HALVES:
        sets[half + _EFFECTIVE] = sets[half + _PERMITTED] = 0
    # Otherwise another process of this user could use them.
    if library.capset(header, sets) == 0:
        library.prctl(_SET_DUMPABLE, 1, 0, 0, 0)
