"""The page at `/docs`: the API description as a plain document without scripts, made from what `/openapi.json` says."""

import html
import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def docs_page(description: Json) -> str:
    """An HTML document of an OpenAPI description."""
    info = description["info"]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f"<title>{_text(info['title'])}: the API</title>",
        f"<h1>{_text(info['title'])} {_text(info['version'])}</h1><p>{_text(info['description'])}</p>",
        "<p>For programs: <a href=openapi.json>openapi.json</a>. To try it: <a href=./>the page</a>.</p>",
        *_endpoints(description["paths"]),
        "<h2>Bodies</h2>",
        *_bodies(description["components"]["schemas"]),
    ]
    return "\n".join(parts)


def docs_policy() -> dict[str, str]:
    """The headers it is served with: it may load and run nothing."""
    return {
        "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
    }


def _endpoints(paths: Json) -> Iterator[str]:
    for path, methods in paths.items():
        for method, what in methods.items():
            told = what.get("summary") or what.get("description", "")
            yield f"<h3><code>{_text(method.upper())} {_text(path)}</code></h3><p>{_text(told)}</p><ul>"
            for status, answer in what.get("responses", {}).items():
                yield f"<li>{_text(status)}: {_text(answer.get('description', ''))}</li>"
            yield "</ul>"


def _bodies(schemas: Json) -> Iterator[str]:
    for name, schema in schemas.items():
        yield f"<h3 id={_text(name)}>{_text(name)}</h3><p>{_text(schema.get('description', ''))}</p><ul>"
        for field, about in schema.get("properties", {}).items():
            needed = " (needed)" if field in schema.get("required", []) else ""
            yield f"<li><code>{_text(field)}</code>{needed}: <code>{_text(json.dumps(about))}</code></li>"
        yield "</ul>"


def _text(value: object) -> str:
    return html.escape(str(value))
