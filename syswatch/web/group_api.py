"""The endpoints for groups of processes."""

from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.grouping import TRACKED_GROUPS
from syswatch.views import group_builders, group_records
from syswatch.views.groups import GroupSort, group_stat

from .errors import unknown_group
from .parameters import ChoiceParameter, IntegerParameter, TextParameter
from .responses import ResponseCache, json_response
from .routes import serves

_SORT = ChoiceParameter(
    "sort", "The order of the groups.", tuple(each.value for each in GroupSort), "calls"
)
_LIMIT = IntegerParameter(
    "limit", "Maximum number of groups.", default=100, maximum=TRACKED_GROUPS + 1
)
_KEY = TextParameter("key", "The key of a group, as /api/groups has it; empty for other groups.")


@define
class GroupApi:
    """The endpoints for groups; equal requests share a response."""

    _cache: ResponseCache

    @serves("/api/groups", answers=group_records.Groups, parameters=(_SORT, _LIMIT), errors=(400,))
    def groups(self, request: IRequest) -> bytes:
        """Return the containers, pods or other groups of a trace with --by, the busiest first."""
        sort, limit = GroupSort(_SORT.value(request)), _LIMIT.value(request)
        return self._cache.get(
            ("groups", sort, limit),
            lambda snapshot: json_response(group_builders.groups(snapshot, sort, limit)),
        ).send(request)

    @serves("/api/group", answers=group_records.GroupDetail, parameters=(_KEY,), errors=(404,))
    def group(self, request: IRequest) -> bytes:
        """Return one group with its system calls."""
        key, snapshot = _KEY.value(request), self._cache.snapshot()
        found = group_stat(snapshot, key)
        if found is None:
            raise unknown_group(key)
        return json_response(group_builders.group_detail(snapshot, found)).send(request)
