"""Configuration of Sphinx."""

import runpy
from pathlib import Path

_VERSION = Path(__file__).parent.parent / "syswatch/base/version.py"

project = "syswatch"
author = "syswatch contributors"
project_copyright = author
release = version = runpy.run_path(str(_VERSION))["VERSION"]

exclude_patterns = ["_build", "rendered"]
default_role = "literal"
highlight_language = "console"
nitpicky = True
smartquotes = False

html_theme = "furo"
html_title = f"syswatch {release}"
html_show_sphinx = False
