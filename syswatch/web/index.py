"""The index of endpoints and the OpenAPI description, both made from the routes."""

from collections.abc import Sequence
from importlib.metadata import version

import attrs
from twisted.web.iweb import IRequest

from syswatch.views import records, shapes

from . import handshake, urls
from .answers import json_answer
from .openapi import describe
from .parameters import Whole
from .routes import Route, routes, serves

_PAGE = Whole("page", "Which page, from 1 on.", default=1)
_PER_PAGE = Whole("per_page", "How many endpoints a page.", default=20, most=100)


@attrs.define
class Index:
    """Lists what this server really serves."""

    rooms: Sequence[object]

    @serves(
        urls.INDEX,
        also=(urls.INDEX_WITH_SLASH,),
        answers=records.EndpointPage,
        parameters=(_PAGE, _PER_PAGE),
        errors=(400,),
    )
    def index(self, request: IRequest) -> bytes:
        """List the endpoints of this server, page by page."""
        endpoints = [
            records.Endpoint(route.template, "GET", route.description) for route in self._routes()
        ]
        endpoints.append(records.Endpoint(urls.STREAM, "GET", handshake.SUMMARY))
        endpoints.sort(key=lambda endpoint: endpoint.path)
        page = shapes.page(endpoints, _PAGE.of(request), _PER_PAGE.of(request))
        return json_answer(page).send(request)

    @serves(urls.OPENAPI, answers=dict)
    def openapi(self, request: IRequest) -> bytes:
        """Describe the API for programs, as OpenAPI 3.1."""
        return json_answer(describe(self._routes(), version("syswatch"))).send(request)

    def _routes(self) -> list[Route]:
        found = (route for room in (*self.rooms, self) for route, _ in routes(room))
        return sorted(found, key=lambda route: route.path)
