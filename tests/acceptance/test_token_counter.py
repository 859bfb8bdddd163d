"""A custom token counter replaces the estimate, and a replay with another counter says so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import InvalidInput
from cognitive.policy.tables import FRAMES

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
TIGHT = Policy(deadline_ms=60_000, abstention=False, budgets={"frames": {frame: {"total": 400} for frame in FRAMES}})
FACTS = [f"The {what} of the boathouse is kept by {who}." for what in ("key", "map", "log") for who in ("Ada", "Bea")]


class Letters:
    """A token counter that counts characters, so that its results are obvious."""

    name = "letters"

    def __call__(self, text: str) -> int:
        return len(text)


async def test_custom_token_counter_sets_the_budget_and_is_recorded(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=TIGHT, embedder=embedder, token_counter=Letters()) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=fact) for fact in FACTS])
        turn = Turn(agent_id=agent, session_id="s", text="Who keeps the map of the boathouse?", now=NOW, turn_id="t")
        context = await layer.pre_turn(turn)
        assert context.degraded == ()
        assert 0 < len(context.text) <= 400
        assert sum(shown.tokens for shown in context.shown) > sum(len(shown.content) for shown in context.shown)
        assert context.trace.sections.total == 400
        assert (await layer.explain.replay(agent, "t")).verdict == "identical"
    async with CognitiveLayer.open(urls.app, policy=TIGHT, embedder=embedder) as layer:
        replay = await layer.explain.replay(agent, "t")
        assert len(replay.text) > 400
        assert (replay.verdict, replay.reason) == (
            "another counter",
            "tokens were counted by letters, and are by estimate-2 now",
        )


class Wrong:
    """A token counter whose counts become wrong: `wrong` is what it returns, or raises."""

    name = "wrong"

    def __init__(self, wrong: object) -> None:
        self.wrong: object = wrong
        self.fails = True

    def __call__(self, text: str) -> object:
        if not self.fails:
            return len(text)
        if isinstance(self.wrong, Exception):
            raise self.wrong
        return self.wrong


WRONG = [
    (float("nan"), "expected a number of at least 0 from 'wrong', got nan"),
    (-1, "expected a number of at least 0 from 'wrong', got -1"),
    (None, "expected a number of at least 0 from 'wrong', got None"),
    (KeyError("o200k"), "'wrong' raised KeyError: 'o200k'"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
async def test_wrong_token_counter_is_refused_when_the_layer_opens(urls, embedder, wrong, message):
    with pytest.raises(InvalidInput, match=message):
        async with CognitiveLayer.open(urls.app, embedder=embedder, token_counter=Wrong(wrong)):
            pass


async def test_fractions_of_a_token_counter_are_rounded_up(urls, embedder, agent):
    counter = Wrong(0.5)
    async with CognitiveLayer.open(urls.app, policy=TIGHT, embedder=embedder, token_counter=counter) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=fact) for fact in FACTS])
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Who keeps the map of the boathouse?"))
        assert {shown.tokens for shown in context.shown} == {1}


async def test_token_counter_without_a_name_is_refused(urls, embedder):
    with pytest.raises(InvalidInput, match=r"token_counter\.name"):
        async with CognitiveLayer.open(urls.app, embedder=embedder, token_counter=len):
            pass


@pytest.mark.parametrize(("wrong", "message"), WRONG)
async def test_turn_with_wrong_token_counts_says_so_and_records_its_outcome(urls, embedder, agent, wrong, message):
    counter = Wrong(wrong)
    counter.fails = False
    async with CognitiveLayer.open(urls.app, policy=TIGHT, embedder=embedder, token_counter=counter) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=fact, pinned=True) for fact in FACTS])
        counter.fails = True
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Who keeps the map of the boathouse?"))
        assert [each.code for each in context.degraded] == ["memory_failed"]
        assert message in str(context.degraded[0])
        report = await layer.post_turn(context, Outcome(response="Ada."))
        assert report.recorded
        [turn] = await layer.explain.turns(agent)
        assert turn.status == "completed"
