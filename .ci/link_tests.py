#!/usr/bin/env python3
"""Show a folder the tests and the samples of a checkout, and not its package.

Usage: link_tests.py CHECKOUT FOLDER
"""

import sys
from pathlib import Path

checkout, folder = map(Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
for name in ("tests", "examples", "bench", "deploy", "docs", "share", "README.md"):
    link = folder / name
    link.unlink(missing_ok=True)
    if (checkout / name).exists():
        link.symlink_to(checkout / name)
