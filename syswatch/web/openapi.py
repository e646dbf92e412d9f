"""The OpenAPI 3.1 document of the API."""

from collections.abc import Iterable
from http import HTTPStatus

import msgspec

from syswatch.views.records import Error

from . import urls
from .parameters import Json, Parameter, TextParameter
from .routes import Route
from .stream_upgrade import STREAM_ERRORS, STREAM_TOKENS, stream_operation

_REFERENCE = "#/components/schemas/{name}"
# Errors of every path.
_EVERYWHERE = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
# A page reports errors as a page.
_HTML = "text/html"


def describe(routes: Iterable[Route], version: str) -> Json:
    """Return the document for the given routes."""
    listed = list(routes)
    types = [route.answers for route in listed] + [Error]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    error = schemas[-1]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "syswatch",
            "version": version,
            "description": "System calls of a running program. All durations are in nanoseconds.",
        },
        "paths": {
            **{
                route.template: {route.method.lower(): _operation(route, schema, error)}
                for route, schema in zip(listed, schemas, strict=False)
            },
            urls.STREAM: {"get": stream_operation(_refusals(STREAM_ERRORS, error))},
        },
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                **STREAM_TOKENS,
            },
        },
        # Optional: a server may have no token.
        "security": [{}, {"token": []}],
    }


def _operation(route: Route, schema: Json, error: Json) -> Json:
    operation: Json = {
        "summary": route.description,
        "operationId": route.template.strip("/").replace("/", "_") or "root",
        "responses": {
            "200": _response(HTTPStatus.OK, schema, *route.content_types),
        },
    }
    if route.method == "GET":
        operation["responses"]["304"] = {
            "description": "Not modified since the response with the given ETag"
        }
    refusals = _refusals((*_EVERYWHERE, *map(HTTPStatus, route.errors)), error)
    if _HTML in route.content_types:
        for answer in refusals.values():
            answer["content"][_HTML] = {"schema": {"type": "string"}}
    operation["responses"].update(refusals)
    if parameters := [*_variables(route), *map(_parameter, route.parameters)]:
        operation["parameters"] = parameters
    return operation


def _refusals(statuses: Iterable[HTTPStatus], error: Json) -> Json:
    return {str(status.value): _response(status, error, "application/json") for status in statuses}


def _response(status: HTTPStatus, schema: Json, *content_types: str) -> Json:
    return {
        "description": status.phrase,
        "content": {content_type: {"schema": schema} for content_type in content_types},
    }


def _variables(route: Route) -> list[Json]:
    return [
        {
            "name": part[1:-1],
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
        }
        for part in route.template.split("/")
        if part.startswith("{")
    ]


def _parameter(parameter: Parameter) -> Json:
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "schema": parameter.schema,
        "required": isinstance(parameter, TextParameter) and parameter.is_required,
    }
