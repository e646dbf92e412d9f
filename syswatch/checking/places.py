"""Where a budget may be, which the command line knows without looking for one."""

from typing import Final

BUDGET: Final = "syswatch.toml"
PYPROJECT: Final = "pyproject.toml"
# Where the budget is in a pyproject.toml.
TABLE: Final = ("tool", "syswatch")
