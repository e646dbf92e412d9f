"""Tests of the description of the API."""

from openapi_spec_validator import OpenAPIV31SpecValidator
from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.site import Access
from tests.web.served import Served


class DescriptionTests(SynchronousTestCase):
    """/api/openapi.json."""

    def setUp(self) -> None:
        """Ask for it."""
        self.served = Served()
        self.description = self.served.get("/api/openapi.json").json

    def test_valid(self) -> None:
        """It is valid OpenAPI 3.1, with and without debug endpoints."""
        OpenAPIV31SpecValidator(self.description).validate()
        smaller = Served(Access(debug_endpoints=False)).get("/api/openapi.json").json
        OpenAPIV31SpecValidator(smaller).validate()

    def test_complete(self) -> None:
        """It describes what the index lists; the stream, which is no HTTP, in words."""
        listed = {item["path"] for item in self.served.get("/api?per_page=100").json["items"]}

        self.assertEqual({"/stream"}, listed - set(self.description["paths"]))
        self.assertEqual(set(), set(self.description["paths"]) - listed)
        self.assertIn("/stream", self.description["info"]["description"])

    def test_unique_names(self) -> None:
        """Every operation has a name of its own."""
        names = [path["get"]["operationId"] for path in self.description["paths"].values()]

        self.assertEqual(len(names), len(set(names)))

    def test_all_formats(self) -> None:
        """A path that answers in two formats says so."""
        answer = self.description["paths"]["/metrics"]["get"]["responses"]["200"]

        self.assertEqual({"text/plain", "application/openmetrics-text"}, set(answer["content"]))
