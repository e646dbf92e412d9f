"""Modules that are imported when they are used."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec


def import_lazily(name: str) -> None:
    """Let a module of a package be loaded when something uses what others only import."""
    if name in sys.modules:
        return
    package, _, own_name = name.rpartition(".")
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Looking it up in `sys.modules` would load it.
    setattr(sys.modules[package], own_name, module)
