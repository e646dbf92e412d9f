"""A Python package that is imported again, or from another place as well."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from syswatch.comparison.evidence import Evidence
from syswatch.comparison.group import FILES, Group
from syswatch.comparison.replacements import prefixes
from syswatch.model.catalog import model_of, openers

from .reason import UNKNOWN, Reason

_MODULE = re.compile(r"([^/.]+)(?:\.[\w-]+)?\.(?:py|pyc|so)$")
# A traceback also reads a module.
_LEAST_MODULES = 2
_MOST = 0.9
_TWICE = 2


def explain(group: Group, evidence: Evidence) -> Reason:
    """
    Return that a package is imported more often, or from two places.

    Several modules of it are opened so many times as often, and there are no more processes; or the
    same modules are opened below another directory as well, on both sides.
    """
    lead = group.lead
    is_opening = lead.subject.kind in FILES and model_of(lead.subject.call) in openers()
    if not is_opening or len(group.events) < _LEAST_MODULES:
        return UNKNOWN
    modules = list(filter(None, (_module(event.lead.subject.name) for event in group.events)))
    if len(modules) < _MOST * len(group.events):
        return UNKNOWN
    after = not lead.is_gone
    # Bytecode may be missing for a module that is imported nevertheless.
    if group.is_failing and not all(_is_opened(each, evidence, after=after) for each in modules):
        return UNKNOWN
    if lead.is_new or lead.is_gone:
        return _from_two_places(modules, evidence, is_new=lead.is_new)
    return _again(group, modules) if evidence.processes == 1 else UNKNOWN


def _module(path: str) -> str:
    """Return the path of a module without what tells its bytecode from its source."""
    directory, _, name = path.rpartition("/")
    found = _MODULE.match(name)
    return f"{directory.removesuffix('/__pycache__')}/{found[1]}" if found else ""


def _is_opened(module: str, evidence: Evidence, *, after: bool) -> bool:
    name = module.rpartition("/")[2]
    return f"{module}.py" in evidence.found(f"{name}.py", after=after)


def _again(group: Group, modules: Sequence[str]) -> Reason:
    times = Counter((event.lead.before.middle, event.lead.after.middle) for event in group.events)
    (before, after), number = times.most_common(1)[0]
    least, most = sorted((before, after))
    if number < _MOST * len(group.events) or not least or most % least:
        return UNKNOWN
    often = "twice" if most == _TWICE else f"{most // least} times as often"
    verb = "imported" if after > before else "no longer imported"
    package = _package(modules)
    what = f"package {package.rpartition('/')[2]} is" if package else f"{number:,} modules are"
    return Reason(f"{what} {verb} {often}", package.rpartition("/")[0])


def _package(modules: Sequence[str]) -> str:
    """Return the directory of the package that has all modules; empty if there is none."""
    directories = {module.rpartition("/")[0] for module in modules}
    # Those of packages in it are longer.
    package = min(directories, key=len)
    is_inside = all(f"{each}/".startswith(f"{package}/") for each in directories)
    return package if is_inside and f"{package}/__init__" in modules else ""


def _from_two_places(modules: Sequence[str], evidence: Evidence, *, is_new: bool) -> Reason:
    nearest = (min(_others(each, evidence), default=None) for each in modules)
    places = Counter(place for place in nearest if place)
    if not places:
        return UNKNOWN
    (place, other), number = places.most_common(1)[0]
    if number < _MOST * len(modules):
        return UNKNOWN
    relative = [module.removeprefix(place).lstrip("/").split("/") for module in modules]
    packages = {parts[0] for parts in relative if len(parts) > 1}
    what = f"package {packages.pop()} is" if len(packages) == 1 else f"{number:,} modules are"
    if is_new:
        return Reason(f"{what} imported from {place} and from {other}", place)
    return Reason(f"{what} no longer imported from {place}, but still from {other}", place)


def _others(module: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield the directories with the same module that both sides open, with that of this one."""
    name = module.rpartition("/")[2]
    for path in _on_both_sides(f"{name}.py", evidence):
        other = _module(path)
        if other != module:
            yield prefixes(module, other)


def _on_both_sides(name: str, evidence: Evidence) -> Iterable[str]:
    after = evidence.found(name, after=True)
    return (path for path in evidence.found(name, after=False) if path in after)
