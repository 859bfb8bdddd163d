"""The API conforms to its OpenAPI description for generated requests."""

from __future__ import annotations

import asyncio
import json

import asyncpg
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from brain.postgres import roles
from cognitive.server.app import create_app
from cognitive.server.config import ServerConfig
from tests.serving import running, token_for

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = [
    found.ok()
    for found in schemathesis.openapi.from_dict(create_app(None, ServerConfig()).openapi()).get_all_operations()
]
FEW = settings(
    max_examples=8,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


@pytest.fixture(scope="module")
async def served(urls, layer, tmp_path_factory):
    await roles.create(urls.admin, ["cognitive_app"])  # without them, agents cannot be listed
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    admin = token_for(tokens, None)
    async with running(
        layer, ServerConfig(port=0, tokens=tokens, metrics=lambda accept: (b"turns 1\n", "text/plain"))
    ) as (url, _):
        yield url, admin
    connection = await asyncpg.connect(urls.admin)
    await connection.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
    await connection.execute("DROP POLICY IF EXISTS overview ON cognitive.rollup")
    await connection.execute("DROP POLICY IF EXISTS overview ON cognitive.agent_state")
    await connection.close()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
async def test_responses_conform_to_the_openapi_description(served, operation):
    url, admin = served
    statuses = set()

    @FEW
    @given(case=operation.as_strategy())
    def sent(case):
        answer = case.call(base_url=url, headers=admin)
        case.validate_response(answer, checks=CHECKS)
        statuses.add(answer.status_code)

    await asyncio.to_thread(sent)
    assert statuses - {401, 403}, "no request passed authentication"


def test_committed_openapi_description_matches_the_code(root):
    written = (root / "docs" / "openapi.json").read_text(encoding="utf-8")
    assert json.loads(written) == create_app(None, ServerConfig()).openapi()
