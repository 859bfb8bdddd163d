"""The examples of responses in the API's description are complete responses of their routes."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import TypeAdapter

from cognitive.server import (
    agents,
    front,
    health,
    memories,
    policies,
    response_examples,
    sessions,
    turns,
    upkeep,
)
from cognitive.server.app import create_app
from cognitive.server.config import ServerConfig

ROUTERS = (turns, memories, upkeep, sessions, policies, agents, health)
ROUTES = {route.name: route for each in ROUTERS for route in each.router.routes}
ROUTES |= {route.name: route for route in agents.global_router.routes}
EXAMPLES = response_examples.load()
MAIN = {"pre_turn", "post_turn", "remember", "recall", "find", "update", "forget", "sessions", "users", "agents", "why"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_a_whole_response_of_its_route(name):
    model = TypeAdapter(ROUTES[name].response_model)
    value = model.validate_json(json.dumps(EXAMPLES[name]))
    assert json.loads(model.dump_json(value)) == EXAMPLES[name]  # no field is missing or unknown


def test_main_routes_have_examples_on_the_page_of_the_api():
    assert set(EXAMPLES) >= MAIN
    page = front.page(create_app(None, ServerConfig()).openapi())
    assert len(re.findall("Example of a response", page)) == len(EXAMPLES)
    assert "We chose Postgres over MongoDB" in page
