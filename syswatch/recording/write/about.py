"""What a manifest says about the machine and the version that make a recording."""

import platform
import time

from syswatch.base.version import VERSION
from syswatch.recording.manifest import Manifest


def about_this_trace() -> Manifest:
    """Return the manifest of a recording that begins now, on this machine."""
    return Manifest(
        begun_ns=time.time_ns(),
        syswatch=VERSION,
        host=platform.node(),
        kernel=platform.release(),
    )
