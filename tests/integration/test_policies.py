"""Policies saved and activated at runtime: stored, adopted, rolled back, and private to an agent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest

from brain.errors import StoreUnavailable
from brain.journal import Journal
from brain.opened_turns import written
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, TurnRef
from cognitive.errors import InvalidInput
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.policy.live import live_settings, with_changes
from cognitive.policy.resolver import PolicyResolver
from cognitive.recording.record import open_turn
from tests.attic import NOW, PERIOD, WIDE, activate, make_turn, play, stock
from tests.internals import internals

BASE = Policy(deadline_ms=30_000)
STRICT = {"feedback.attribution_thresholds.relative": 1.0}
VAGUE = Outcome(
    response="It may be the kettle, up in some attic or other."
)  # counts as use of the memory, except under `STRICT`


@pytest.fixture
async def opened(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=BASE, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def stocked(opened, agent):
    return await stock(opened, agent)


async def test_saving_the_same_candidate_twice_returns_the_first(opened, agent):
    saved = await opened.policies.save(agent, {"usage.half_life_days": 3, **WIDE}, by="ada", note="shorter")
    again = await opened.policies.save(agent, {**WIDE, "usage.half_life_days": 3.0}, by="bob")

    assert again == saved
    assert (saved.author, saved.note, saved.base) == ("ada", "shorter", BASE.version)
    assert saved.version == with_changes(BASE, {"usage.half_life_days": 3, **WIDE}).version
    assert await opened.policies.list(agent) == (saved,)
    assert (await opened.policies.load(agent, saved.version)).usage.half_life_days == 3


async def test_turn_uses_the_active_policy_and_replays_identically(opened, stocked):
    saved = await opened.policies.save(stocked, WIDE, by="ada")
    before = await opened.pre_turn(make_turn(stocked, 0))
    await opened.policies.activate(stocked, saved.version, by="ada")
    after = await opened.pre_turn(make_turn(stocked, 1))
    await opened.policies.roll_back(stocked, by="ada")
    back = await opened.pre_turn(make_turn(stocked, 2))

    assert [each.policy.version for each in (before, after, back)] == [BASE.version, saved.version, BASE.version]
    assert len(after.shown) > len(before.shown) == len(back.shown)
    for n in range(3):
        assert (await opened.explain.replay(stocked, f"t-{n}")).verdict == "identical"


async def test_history_lists_activations_and_rollbacks(opened, agent):
    saved = await opened.policies.save(agent, WIDE, by="ada")
    await opened.policies.activate(agent, saved.version, by="ada", note="more")
    await opened.policies.roll_back(agent, by="bob")
    await opened.policies.roll_back(agent, by="cleo")

    history = await opened.policies.history(agent)
    assert [(each.number, each.version, each.author) for each in history] == [
        (3, saved.version, "cleo"),
        (2, None, "bob"),
        (1, saved.version, "ada"),
    ]
    standing = await opened.policies.effective(agent)
    assert (standing.live.version, standing.activations["live"].number) == (saved.version, 3)


async def test_activations_and_versions_cannot_be_updated(opened, agent, urls):
    saved = await opened.policies.save(agent, WIDE, by="ada")
    await opened.policies.activate(agent, saved.version, by="ada")
    connection = await asyncpg.connect(urls.app)
    try:
        for table, column in (("policy_activation", "version"), ("policy_version", "note")):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(f"UPDATE cognitive.{table} SET {column} = 'x'")
    finally:
        await connection.close()


async def test_activation_with_a_stale_expectation_is_refused(opened, agent):
    saved = await opened.policies.save(agent, WIDE, by="ada")
    await opened.policies.activate(agent, saved.version, by="ada", after=0)

    with pytest.raises(InvalidInput, match="the latest activation of the live policy is 1, not 0"):
        await opened.policies.activate(agent, None, by="bob", after=0)
    assert len(await opened.policies.history(agent)) == 1


async def test_shadow_policy_runs_beside_turns_and_is_compared(opened, stocked):
    saved = await opened.policies.save(stocked, WIDE, by="ada")
    await opened.policies.shadow(stocked, saved.version, by="ada")
    await play(opened, stocked)
    await internals(opened).background.drain()

    compared = await opened.policies.shadow_agreement(stocked, saved.version)
    assert (compared.turns, compared.policy) == (3, saved.version)
    assert compared.shadow_shown > compared.shown
    assert (await opened.pre_turn(make_turn(stocked, 9))).policy.version == BASE.version
    assert await opened.policies.shadow_agreement(stocked, BASE.version) is None


async def test_policy_of_another_agent_is_neither_visible_nor_selectable(opened, agent):
    saved = await opened.policies.save(agent, WIDE, by="ada")
    await opened.policies.activate(agent, saved.version, by="ada")
    other = f"{agent}-other"

    assert await opened.policies.list(other) == ()
    assert (await opened.policies.effective(other)).live.version == BASE.version
    for choose in (opened.policies.activate, opened.policies.shadow):
        with pytest.raises(InvalidInput, match="has no saved policy"):
            await choose(other, saved.version, by="eve")


async def test_erased_agent_loses_its_policies(opened, stocked):
    saved = await opened.policies.save(stocked, WIDE, by="ada")
    await opened.policies.activate(stocked, saved.version, by="ada")
    await play(opened, stocked, 0)
    assert (await opened.policies.what_if(stocked, {"usage.half_life_days": 1}, *PERIOD)).turns == 1
    receipt = await opened.erase_agent(stocked)

    assert receipt.policies == 2
    assert (await opened.policies.list(stocked), await opened.policies.history(stocked)) == ((), ())
    assert (await opened.pre_turn(make_turn(stocked, 5))).policy.version == BASE.version
    assert (await opened.policies.what_if(stocked, {"usage.half_life_days": 1}, *PERIOD)).turns == 0


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"models": 1}, "models: cannot be changed"),
        ({"categories.rules.coding.extra_patterns": 1}, "cannot be changed"),
        ({"deadline_ms": 1.0}, "deadline_ms: cannot be changed"),
        ({"agents.x.half_life_days": 1.0}, r"did you mean usage.half_life_days\? This cannot be changed"),
        ({"capture": "exchange"}, "capture: cannot be changed"),
        ({"usage.half_life_days": "1"}, "usage.half_life_days: expected a number"),
        ({"usage.half_life_days": float("nan")}, "usage.half_life_days: expected a number"),
        ({"usage.half_life_days": 1e9}, "usage.half_life_days: expected 0.5 to 90"),
        ({"limits.default": 2.5}, "limits.default: expected a whole number"),
        ({"budgets.frames.question.total": 10**7}, "frames.question.total: expected 0 to 32000"),
        ({"usage.explore_every": 1}, "usage.explore_every"),
        ({}, "identical to the base policy"),
    ],
)
async def test_forbidden_or_invalid_setting_is_refused_by_name(opened, agent, changes, named):
    with pytest.raises(InvalidInput, match=named):
        await opened.policies.save(agent, changes, by="eve")
    assert await opened.policies.list(agent) == ()


async def test_invalid_stored_policy_is_ignored(opened, agent, urls):
    """A row that was manipulated in the database neither executes code nor fails a turn."""
    connection = await asyncpg.connect(urls.admin)
    try:
        await connection.execute(
            "INSERT INTO cognitive.policy_version (agent_id, version, base, changes, author)"
            " VALUES ($1, 'x', 'y', $2, 'eve')",
            agent,
            '{"categories": {"evil": {"extra_patterns": [".*"]}}}',
        )
        await connection.execute(
            "INSERT INTO cognitive.policy_activation (agent_id, role, number, version, author)"
            " VALUES ($1, 'live', 1, 'x', 'eve')",
            agent,
        )
    finally:
        await connection.close()

    assert (await opened.pre_turn(make_turn(agent))).policy.version == BASE.version


@pytest.mark.parametrize("row", live_settings().values(), ids=lambda row: row.name)
def test_live_setting_defaults_are_within_bounds(row):
    policy = Policy()
    assert row.min <= row.of(policy) <= row.max
    for value in (row.min, row.max, row.of(policy)):
        assert row.of(with_changes(policy, {row.name: value})) == value


async def test_another_process_adopts_an_activation(opened, urls, embedder, stocked, monkeypatch):
    """The process reads the activation when its cached one is too old, here at once."""
    monkeypatch.setattr("cognitive.policy.resolver.FRESH", 0.0)
    async with CognitiveLayer.open(urls.app, policy=BASE, embedder=embedder) as running:
        assert (await running.pre_turn(make_turn(stocked, 0))).policy.version == BASE.version
        saved = await opened.policies.save(stocked, WIDE, by="ada")
        await opened.policies.activate(stocked, saved.version, by="ada")

        assert (await running.pre_turn(make_turn(stocked, 1))).policy.version == saved.version


async def test_new_process_applies_the_activation_in_its_first_turn(opened, urls, embedder, stocked):
    saved = await activate(opened, stocked, WIDE)
    async with CognitiveLayer.open(urls.app, policy=BASE, embedder=embedder) as started:
        assert (await started.pre_turn(make_turn(stocked))).policy.version == saved.version


async def credited(layer, agent, turn_id):
    return [each.used for each in await internals(layer).turns.judgements(Scope(agent), turn_id)]


@pytest.mark.parametrize("named", [True, False], ids=["by its name", "with its context"])
async def test_outcome_is_judged_by_the_policy_of_its_turn(opened, urls, embedder, stocked, named):
    context = await opened.pre_turn(make_turn(stocked))
    await activate(opened, stocked, STRICT)
    async with CognitiveLayer.open(urls.app, policy=BASE, embedder=embedder) as started:
        later = await started.pre_turn(make_turn(stocked, 1))
        await started.post_turn(TurnRef(stocked, "t-0") if named else context, VAGUE)
        await started.post_turn(later, VAGUE)

    assert await credited(opened, stocked, "t-0") == [True]
    assert await credited(opened, stocked, "t-1") == [False]
    assert [(await opened.explain.replay(stocked, f"t-{n}")).verdict for n in (0, 1)] == ["identical"] * 2


async def test_verdict_carries_the_threshold_of_its_turn(opened, stocked):
    await play(opened, stocked, 0)
    await activate(opened, stocked, STRICT)
    await opened.post_turn(await opened.pre_turn(make_turn(stocked, 1)), VAGUE)

    turns, store = internals(opened).turns, internals(opened).policy_store
    for read in (
        turns.verdicts(Scope(stocked)),
        store.verdicts(Scope(stocked), ["t-0", "t-1"]),
        store.verdicts_before(Scope(stocked), NOW + timedelta(days=1), 9),
    ):
        assert [(each.threshold, each.used) for each in await read] == [
            (BASE.attribution_threshold, True),
            (1.0, False),
        ]


@pytest.mark.parametrize("recorded", [True, False], ids=["its turn is recorded", "its turn is in the journal too"])
async def test_journaled_outcome_is_judged_by_the_policy_of_its_turn(opened, stocked, tmp_path, recorded):
    context = await opened.pre_turn(make_turn(stocked))
    await activate(opened, stocked, STRICT)
    journal, turn_id = Journal(tmp_path / "journal" / "x.sqlite"), "t-0" if recorded else "t-lost"
    opening = None if recorded else written(replace(open_turn(context), turn_id=turn_id))
    journal.put(Scope(stocked), turn_id, opening=opening, outcome=VAGUE.model_dump_json())
    recorder = OutcomeRecorder(internals(opened).turns, journal, internals(opened).resolver, internals(opened).capture)
    await recorder.drain(journal.find(Scope(stocked), turn_id))

    assert await credited(opened, stocked, turn_id) == [True]


async def test_usage_of_a_turn_is_unaffected_by_later_activations(opened, agent, urls):
    """The half-life and the weight of ratings affect earlier counts, so they must not change with an activation."""
    for own in (agent, f"{agent}-chosen"):
        await opened.remember(own, [NewMemory(type="fact", content="The kettle is in the attic.")])
        [known] = await play(opened, own, 0)
        late = await opened.pre_turn(make_turn(own, 10_000))
        if own != agent:
            await activate(opened, own, {"usage.half_life_days": 0.5, "feedback.rating_weight": 10})
        await opened.post_turn(late, VAGUE)
        await opened.rate(own, "t-0", known.memory_id, useful=True)

    assert await masses(urls, agent) == pytest.approx(await masses(urls, f"{agent}-chosen"))


async def masses(urls, agent):
    connection = await asyncpg.connect(urls.admin)
    try:
        return [*await connection.fetchrow("SELECT shown, used FROM cognitive.usage WHERE agent_id = $1", agent)]
    finally:
        await connection.close()


class UnavailablePolicyStore:
    """A policy store that fails after its first read, or that never answers."""

    def __init__(self, holding=None, *, hangs=False):
        self.holdings = [holding] if holding is not None else []
        self.hangs = hangs

    async def active(self, agent_id):
        if self.holdings:
            return self.holdings.pop()
        if self.hangs:
            await asyncio.Event().wait()
        raise StoreUnavailable("away")


async def test_last_known_policy_applies_while_the_database_is_away(opened, agent, monkeypatch):
    monkeypatch.setattr("cognitive.policy.resolver.FRESH", 0.0)
    saved = await opened.policies.save(agent, WIDE, by="ada")
    await opened.policies.activate(agent, saved.version, by="ada")
    holding = await internals(opened).policy_store.active(agent)

    known = PolicyResolver(UnavailablePolicyStore(holding), BASE)
    for _ in range(3):
        assert (await known.current(agent)).version == saved.version
    assert (await PolicyResolver(UnavailablePolicyStore(), BASE).current(agent)).version == BASE.version


async def test_hanging_policy_read_returns_the_base_policy_in_time(agent):
    chosen = PolicyResolver(UnavailablePolicyStore(hangs=True), Policy(deadline_ms=50))

    assert (await chosen.current(agent)).version == Policy(deadline_ms=50).version
    assert chosen._reading  # the read goes on in the background
    chosen.forget(agent)
    await chosen.drain()


async def test_activated_shadow_takes_precedence_over_the_operators(urls, embedder, agent):
    shadow = Policy(deadline_ms=30_000, limits={"default": 1})
    async with CognitiveLayer.open(urls.app, policy=BASE, shadow=shadow, embedder=embedder) as layer:
        assert (await layer.policies.effective(agent)).shadow == shadow
        saved = await layer.policies.save(agent, WIDE, by="ada")
        await layer.policies.shadow(agent, saved.version, by="ada")
        assert (await layer.policies.effective(agent)).shadow.version == saved.version
        await layer.policies.roll_back(agent, "shadow", by="ada")
        assert (await layer.policies.effective(agent)).shadow == shadow


async def test_agent_overrides_of_the_file_apply_below_an_activation(urls, embedder, agent):
    base = Policy(deadline_ms=30_000, agents={agent: {"limits": {"default": 2}}})
    async with CognitiveLayer.open(urls.app, policy=base, embedder=embedder) as layer:
        saved = await layer.policies.save(agent, {"usage.half_life_days": 3}, by="ada")
        await layer.policies.activate(agent, saved.version, by="ada")
        live = (await layer.policies.effective(agent)).live
    assert (live.limits.default, live.usage.half_life_days) == (2, 3.0)
