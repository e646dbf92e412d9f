"""`python -m syswatch.options.installed DIRECTORY`: write the files below a directory."""

import sys
from pathlib import Path

from . import files

for name, text in files.render().items():
    path = Path(sys.argv[1]) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
