"""
The catalog of system calls: numbers, categories, arguments, and documentation.

Decoders read the argument kinds, views the categories and texts, filters the classes, tracers
which calls open files.
"""

from syswatch.model.call_numbers import name_of, names, number_of
from syswatch.model.catalog.category import Category
from syswatch.model.catalog.classes import class_names, in_class
from syswatch.model.catalog.entry import Argument, ErrnoNote, Syscall
from syswatch.model.catalog.kinds import ArgumentKind
from syswatch.model.catalog.lookup import (
    arguments_of,
    can_wait,
    category_of,
    documented,
    executes,
    kinds_of,
    lookup,
    model_of,
    openers,
)

__all__ = [
    "Argument",
    "ArgumentKind",
    "Category",
    "ErrnoNote",
    "Syscall",
    "arguments_of",
    "can_wait",
    "category_of",
    "class_names",
    "documented",
    "executes",
    "in_class",
    "kinds_of",
    "lookup",
    "model_of",
    "name_of",
    "names",
    "number_of",
    "openers",
]
