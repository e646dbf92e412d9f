"""The index of endpoints and the OpenAPI document, both generated from the routes."""

from collections.abc import Sequence

from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.base.version import VERSION
from syswatch.views import record_builders, records

from . import urls
from .openapi import describe
from .parameters import IntegerParameter
from .responses import json_response
from .routes import Route, routes, serves
from .stream_upgrade import STREAM_SUMMARY

_PAGE = IntegerParameter("page", "Page number, starting at 1.", default=1)
_PER_PAGE = IntegerParameter("per_page", "Endpoints per page.", default=20, maximum=100)


@define
class Index:
    """The endpoints that describe the API."""

    _endpoints: Sequence[object]

    @serves(
        "/api",
        aliases=("/api/",),
        answers=records.EndpointPage,
        parameters=(_PAGE, _PER_PAGE),
        errors=(400,),
    )
    def index(self, request: IRequest) -> bytes:
        """Return the list of endpoints, page by page."""
        endpoints = [
            records.Endpoint(route.template, route.method, route.description)
            for route in self._routes()
        ]
        endpoints.append(records.Endpoint(urls.STREAM, "GET", STREAM_SUMMARY))
        endpoints.sort(key=lambda endpoint: endpoint.path)
        page = record_builders.page(endpoints, _PAGE.value(request), _PER_PAGE.value(request))
        return json_response(page).send(request)

    @serves("/api/openapi.json", answers=dict)
    def openapi(self, request: IRequest) -> bytes:
        """Return the OpenAPI 3.1 description of the API."""
        return json_response(describe(self._routes(), VERSION)).send(request)

    def _routes(self) -> list[Route]:
        found = (route for route, _ in routes(*self._endpoints, self))
        return sorted(found, key=lambda route: route.path)
