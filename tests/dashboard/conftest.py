"""Fixtures: an agent with two turns, and the pages as the server mounts them."""

from __future__ import annotations

import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.dashboard.access import AccessControl
from cognitive.dashboard.app import create, error_pages
from cognitive.server.app import create_app
from cognitive.server.auth import needs_no_token, visitor_of
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.limits import within_rate_limit
from cognitive.server.tokens import create as create_token
from tests.serving import client_of

EVIL = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
DEPLOY = "We deploy on Tuesdays at 10:00, never on Fridays."


@pytest.fixture(scope="session")
async def layer(urls, embedder):
    """Yield a layer with a long deadline, so that a busy machine does not remove candidates from the pages."""
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=embedder) as layer:
        yield layer


@pytest.fixture(scope="module")
def mounts(layer):
    pages = create(layer, layer.explain.analytics, AccessControl(visitor_of, needs_no_token, within_rate_limit))
    return (MountedApp("/ui", pages, own_login=True, error_page=error_pages()),)


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """Return the token file of `guarded_app`, with one token of an admin."""
    file = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    create_token(file, None)
    return file


@pytest.fixture(scope="module")
def open_app(layer, mounts):
    """Return a server without tokens."""
    return create_app(layer, ServerConfig(), mounts)


@pytest.fixture(scope="module")
def guarded_app(layer, mounts, tokens):
    """Return a server that needs a token. Its limit of failures is higher than the tests reach."""
    return create_app(layer, ServerConfig(tokens=tokens, auth_failures_per_minute=100_000), mounts)


@pytest.fixture
async def pages(open_app):
    """Yield an HTTP client of a server without tokens."""
    async with client_of(open_app) as client:
        yield client


@pytest.fixture
async def guarded(guarded_app):
    """Yield an HTTP client of a server that needs a token."""
    async with client_of(guarded_app) as client:
        yield client


@pytest.fixture
async def sample_agent(layer, agent):
    """Return the agent after two turns. The first used a memory; the message of the second contains a script."""
    await layer.remember(
        agent,
        [
            NewMemory(type="decision", content=DEPLOY),
            NewMemory(type="fact", content=f"The runbook says {EVIL} on deploy days."),
            NewMemory(type="fact", content="The canteen serves soup on Mondays."),
        ],
    )
    for turn_id, text in (("t/1", "When do we deploy?"), ("t/2", f"Which deploy day has {EVIL}?")):
        turn = Turn(agent_id=agent, session_id="s", text=text, turn_id=turn_id, runtime="langgraph")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response=DEPLOY))
    return agent
