"""Tests of the endpoints for groups of processes."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from tests.views.group_trace import DB, GROUPED, SSH, WEB

from .served import FakeSession, Response, Served


def _get(path: str, delta: Delta = GROUPED) -> Response:
    return Served(session=FakeSession.of(delta)).get(path)


def _json(path: str, delta: Delta = GROUPED) -> Any:
    response = _get(path, delta)
    assert response.status == 200, response.body
    return response.json


class GroupApiTests(SynchronousTestCase):
    """Lists and details."""

    def test_list(self) -> None:
        """The busiest group comes first, and the rows add up to all calls."""
        answer = _json("/api/groups")
        self.assertEqual((4, 1000), (answer["Number"], answer["Count"]))
        self.assertIn("web (container) made 61 % of", answer["Verdict"])
        rows = answer["Groups"]
        self.assertEqual([WEB, DB, SSH, ""], [row["Key"] for row in rows])
        self.assertEqual(1000, sum(row["Count"] for row in rows))
        first = rows[0]
        self.assertEqual(
            (610, 5, 6_500, 1_500, 5_000, 0, 3, 0.61, 2),
            tuple(
                first[key]
                for key in (
                    *("Count", "Errors", "TotalTime", "Working", "Waiting", "Ready", "Waits"),
                    *("Share", "Lives"),
                )
            ),
        )

    def test_parameters(self) -> None:
        """A request may ask for an order, and for few."""
        answer = _json("/api/groups?sort=time&limit=2")
        self.assertEqual([WEB, SSH], [row["Key"] for row in answer["Groups"]])
        self.assertEqual(4, answer["Number"])
        for wrong in ("sort=size", "limit=0", "limit=x"):
            self.assertEqual(400, _get(f"/api/groups?{wrong}").status)

    def test_detail(self) -> None:
        """A group has its calls, which add up to its sums; one may stand for the others."""
        group = _json(f"/api/group?key={SSH}")
        self.assertEqual(
            [("read", "I/O", 90), ("", "", 10)],
            [(call["Name"], call["Category"], call["Count"]) for call in group["Calls"]],
        )
        self.assertEqual(
            ("ssh.service", "unit", 100), (group["Name"], group["Kind"], group["Count"])
        )
        others = _json("/api/group?key=")
        self.assertEqual(
            ("other groups", "other", 40), (others["Name"], others["Kind"], others["Count"])
        )

    def test_unknown(self) -> None:
        """A key that no group has is an error; without --by the list is empty."""
        response = _get("/api/group?key=docker:none")
        self.assertEqual((404, "unknown_group"), (response.status, response.json["error"]))
        self.assertEqual([], _json("/api/groups", Delta())["Groups"])
        self.assertEqual(404, _get("/api/group", Delta()).status)
