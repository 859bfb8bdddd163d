"""The policy that turns run under is read from the turns, also by a process with another base policy."""

from __future__ import annotations

import pytest

from cognitive import CognitiveLayer, Policy
from cognitive.cli import policy as command
from cognitive.dashboard import policies
from cognitive.dashboard.params import PageQuery
from cognitive.policy.live import with_changes
from tests import attic
from tests.attic import NOW, WIDE, activate
from tests.internals import internals

AGENTS_BASE = Policy(deadline_ms=30_000, evidence={"threshold": 0.6})
THRIFTY = {"usage.half_life_days": 3.0}


@pytest.fixture
async def here(urls, embedder):
    """Yield a layer of a process that runs no turns, with the default base policy."""
    async with CognitiveLayer.open(urls.app, policy=Policy(), embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def elsewhere(urls, embedder):
    """Yield a layer of a process that runs the agent's turns on another base policy."""
    async with CognitiveLayer.open(urls.app, policy=AGENTS_BASE, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def stocked(here, agent):
    return await attic.stock(here, agent)


async def play(layer, agent, *numbers):
    await attic.play(layer, agent, *numbers)
    await internals(layer).background.drain()


async def test_running_policy_is_that_of_the_latest_turns(here, elsewhere, stocked):
    before = await here.policies.running(stocked)
    await play(elsewhere, stocked, 1, 2)
    running = await here.policies.running(stocked)

    assert (before.policy.version, before.run) == (Policy().version, None)
    assert running.policy == AGENTS_BASE
    assert (running.same_base, running.candidate, running.pending, running.run.turns) == (False, None, False, 2)
    assert (await elsewhere.policies.running(stocked)).same_base


async def test_activation_without_a_turn_since_is_pending(here, stocked):
    await play(here, stocked, 1)
    version = (await activate(here, stocked, WIDE)).version
    running = await here.policies.running(stocked)
    await play(here, stocked, 2)

    assert (running.policy, running.candidate) == (with_changes(Policy(), WIDE), version)
    assert (running.pending, running.same_base) == (True, True)
    assert not (await here.policies.running(stocked)).pending


async def test_active_candidate_is_found_on_another_base(here, elsewhere, stocked):
    version = (await activate(here, stocked, WIDE)).version
    await play(elsewhere, stocked, 1)
    running = await here.policies.running(stocked)
    newer = (await activate(here, stocked, THRIFTY)).version

    assert (running.policy, running.candidate) == (with_changes(AGENTS_BASE, WIDE), version)
    assert not running.same_base
    later = await here.policies.running(stocked)
    assert (later.candidate, later.pending) == (newer, True)
    assert later.policy.usage.half_life_days == 3


async def test_shadow_of_a_process_with_another_base_is_found(here, elsewhere, stocked):
    saved = await here.policies.save(stocked, WIDE, by="ada")
    await here.policies.shadow(stocked, saved.version, by="ada")
    await play(elsewhere, stocked, 1, 2)

    compared = await here.policies.shadow_agreement(stocked, saved.version)
    assert (compared.turns, compared.policy) == (2, saved.version)
    assert (await here.policies.effective(stocked)).shadow_version == saved.version


async def test_turns_of_a_candidate_are_counted_on_every_base(here, elsewhere, stocked):
    await play(elsewhere, stocked, 0)
    version = (await activate(here, stocked, WIDE)).version
    await elsewhere.policies.effective(stocked)  # reads the activation now, instead of within five seconds
    await play(elsewhere, stocked, 1, 2)
    await play(here, stocked, 3)
    query = PageQuery(stocked, NOW)
    [saved] = policies.view(await policies.read(here, here.explain.analytics, query), query).saved

    assert saved.candidate.version == version
    assert saved.total.numbers.turns == 3
    assert set(saved.runs) == {with_changes(base, WIDE).version for base in (Policy(), AGENTS_BASE)}


async def test_command_and_dashboard_name_the_same_policies(here, elsewhere, stocked, urls, monkeypatch):
    shadow = await elsewhere.policies.save(stocked, THRIFTY, by="ada")  # the version is that of the agent's base
    await here.policies.shadow(stocked, shadow.version, by="ada")
    await activate(here, stocked, WIDE)
    await elsewhere.policies.effective(stocked)
    await play(elsewhere, stocked, 1)
    query = PageQuery(stocked, NOW)
    view = policies.view(await policies.read(here, here.explain.analytics, query), query)
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", urls.app)
    listed = await command._list(stocked)

    assert (listed.live, listed.candidate, listed.shadow) == (
        view.live.version,
        view.live.candidate,
        view.shadow.version,
    )
    assert (listed.live, listed.shadow) == (with_changes(AGENTS_BASE, WIDE).version, shadow.version)
    differences = (await command._show(stocked, listed.candidate, None))["differences"]
    assert differences == [], "the saved version is applied to the policy that the turns run under"


async def test_candidates_are_changes_of_what_runs(here, elsewhere, stocked):
    await play(elsewhere, stocked, 1)
    default = Policy().evidence.threshold  # a change there, though it is the value of this process's base
    saved = await here.policies.save(stocked, {"evidence.threshold": default}, by="ada")

    assert dict(saved.changes) == {"evidence.threshold": default}
    assert await here.policies.save(stocked, {"evidence.threshold": default}, by="bob") == saved
