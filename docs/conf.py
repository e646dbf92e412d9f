"""Configuration of Sphinx."""

import tomllib
from pathlib import Path

_project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]

project = "syswatch"
author = "syswatch contributors"
project_copyright = author
release = version = _project["version"]

exclude_patterns = ["_build", "rendered"]
default_role = "literal"
highlight_language = "console"
nitpicky = True
smartquotes = False

html_theme = "furo"
html_title = f"syswatch {release}"
html_show_sphinx = False
