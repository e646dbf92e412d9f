"""Where inputs are read: on this machine, or by the workers of a Dask cluster."""

import re
from importlib.util import find_spec
from typing import Final

LOCAL: Final = "local"
DASK: Final = "dask"
# The scheduler of a cluster that is started for this run, and ends with it.
OWN_CLUSTER: Final = ""
EXTRA: Final = "pip install 'syswatch[dask]'"
_PORT: Final = 8786
_PACKAGES: Final = ("distributed", "fsspec", "cryptography")
_ADDRESS = re.compile(
    r"(?:(?P<protocol>tcp|tls)://)?(?P<host>[\w.-]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>\d{1,5}))?",
    re.ASCII,
)


class EngineError(ValueError):
    """An engine cannot be used; the message is one sentence for the user."""


def scheduler_of(engine: str) -> str | None:
    """Return the address of the scheduler, or None if this machine reads without one."""
    if engine == LOCAL:
        return None
    name, separator, address = engine.partition("://")
    if name != DASK:
        raise EngineError(f"invalid value '{engine}' (choose from local, dask, dask://HOST:PORT)")
    _check_packages()
    if not separator:
        return OWN_CLUSTER
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise EngineError(f"invalid value '{engine}' (expected dask://HOST:PORT)")
    return f"{found['protocol'] or 'tcp'}://{found['host']}:{found['port'] or _PORT}"


def _check_packages() -> None:
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise EngineError(f"a Dask cluster needs the package {package}: {EXTRA}")
