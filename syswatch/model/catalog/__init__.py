"""What is known about system calls: numbers, categories, arguments, and words for people.

This is the one table of such facts. The decoders read the argument kinds, the views the categories
and the texts, and the filters the classes.
"""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.classes import class_names, in_class
from syswatch.model.catalog.entry import Argument, ErrnoNote, Syscall
from syswatch.model.catalog.kinds import ArgumentKind
from syswatch.model.catalog.lookup import category_of, documented, lookup, model_of
from syswatch.model.catalog.numbers import name_of, names, number_of

__all__ = [
    "Argument",
    "ArgumentKind",
    "Category",
    "ErrnoNote",
    "Syscall",
    "category_of",
    "class_names",
    "documented",
    "in_class",
    "lookup",
    "model_of",
    "name_of",
    "names",
    "number_of",
]
