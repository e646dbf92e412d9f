"""Tests of the OpenAPI document."""

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access, Token
from tests.web.frames import UPGRADE
from tests.web.served import Served


class DescriptionTests(SynchronousTestCase):
    """/api/openapi.json."""

    def setUp(self) -> None:
        """Request the document."""
        self.served = Served()
        self.description = self.served.get("/api/openapi.json").json

    def test_valid(self) -> None:
        """It is valid OpenAPI 3.1, with and without debug endpoints."""
        OpenAPIV31SpecValidator(self.description).validate()
        smaller = Served(Access(debug_endpoints=False)).get("/api/openapi.json").json
        OpenAPIV31SpecValidator(smaller).validate()

    def test_unique_names(self) -> None:
        """Every operation has an ID of its own."""
        names = [
            operation["operationId"]
            for path in self.description["paths"].values()
            for operation in path.values()
        ]

        self.assertEqual(len(names), len(set(names)))

    def test_stream(self) -> None:
        """The stream needs the described headers and responds with the described statuses."""
        said = self.description["paths"]["/stream"]["get"]
        headers = {each["name"]: each["schema"] for each in said["parameters"]}
        self.assertEqual(set(UPGRADE), set(headers))
        for name, schema in headers.items():
            Draft202012Validator(schema).validate(UPGRADE[name])

        guarded = Served(Access(ws_token=Token(b"sesame"), most_clients=1))
        let_in = "/stream?token=sesame"
        answers = [
            guarded.get("/stream", UPGRADE),
            guarded.get(let_in, {**UPGRADE, "Origin": "https://evil.example"}),
            *(guarded.get(let_in, {**UPGRADE, name: ""}) for name in UPGRADE),
            guarded.get(let_in, UPGRADE, "POST"),
            guarded.get(let_in, UPGRADE),
            guarded.get(let_in, UPGRADE),
        ]
        self.assertEqual(set(said["responses"]), {str(answer.status) for answer in answers})
        self.assertEqual(101, answers[-2].status)
        [accepted] = said["responses"]["101"]["headers"]
        self.assertIn(accepted.lower(), answers[-2].headers)

    def test_all_formats(self) -> None:
        """A path with several formats has all of them."""
        answer = self.description["paths"]["/metrics"]["get"]["responses"]["200"]

        self.assertEqual(
            {
                "text/plain",
                "application/openmetrics-text",
                "application/vnd.google.protobuf",
            },
            set(answer["content"]),
        )
