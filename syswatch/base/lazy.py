"""Modules that are imported when they are used, or not at all."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import cast


def import_lazily(name: str) -> None:
    """Let a module of a package be loaded when something uses what others only import."""
    if name in sys.modules:
        return
    package, _, own_name = name.rpartition(".")
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        # Its package is missing, too.
        return
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Looking it up in `sys.modules` would load it.
    setattr(sys.modules[package], own_name, module)


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Import others as where some modules are not installed, which they are prepared for."""
    modules = cast("dict[str, object]", sys.modules)
    absent = [name for name in names if name not in modules]
    # `None` makes an import fail.
    modules.update(dict.fromkeys(absent))
    try:
        yield
    finally:
        for name in absent:
            del modules[name]
