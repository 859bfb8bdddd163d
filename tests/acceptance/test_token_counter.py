"""A custom token counter replaces the estimate, and a replay with another counter says so."""

from __future__ import annotations

from datetime import UTC, datetime

from cognitive import CognitiveLayer, NewMemory, Policy, Turn
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
