"""Examples of responses in the API's description. They are responses of a server, by the name of the route."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def load() -> dict[str, Any]:
    """Return the examples: by the name of a route, a body of its successful response."""
    text = (files(__package__) / "response_examples.json").read_text(encoding="utf-8")
    examples: dict[str, Any] = json.loads(text)
    return examples


def add_to(description: Mapping[str, Any]) -> None:
    """Add the examples to the successful responses of an OpenAPI description."""
    examples = load()
    for methods in description["paths"].values():
        for route in methods.values():
            if route["operationId"] not in examples:
                continue
            for status, response in route["responses"].items():
                if status.startswith("2"):
                    response["content"]["application/json"]["example"] = examples[route["operationId"]]
