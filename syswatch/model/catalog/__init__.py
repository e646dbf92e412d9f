"""
The catalog of system calls: numbers, categories, arguments, and documentation.

Decoders read the argument kinds, views the categories, filters the classes, tracers which calls
open files.  The texts that people read are in `entries`, which no tracer imports.
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
    executes,
    kinds_of,
    model_of,
    openers,
    plain_name,
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
    "executes",
    "in_class",
    "kinds_of",
    "model_of",
    "name_of",
    "names",
    "number_of",
    "openers",
    "plain_name",
]
