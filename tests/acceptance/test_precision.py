"""Shown memories are relevant and not yet said, and no text is embedded twice; through the public API."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Turn, TurnRef
from tests.internals import internals

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
QUESTION = "Which cache did the platform team choose for the user sessions?"
EVIDENCE = "The platform team chose Redis as the cache for user sessions."


class Counting:
    """A real embedder that records the texts it embeds."""

    def __init__(self, real) -> None:
        self._real = real
        self._lock = threading.Lock()
        self.texts: list[str] = []

    @property
    def model(self):
        return self._real.model

    @property
    def dimension(self):
        return self._real.dimension

    def embed(self, texts):
        with self._lock:
            self.texts.extend(texts)
        return self._real.embed(texts)


def facts(*contents: str) -> list[NewMemory]:
    return [
        NewMemory(type="fact", content=text, occurred_at=NOW - timedelta(days=n)) for n, text in enumerate(contents, 1)
    ]


def talk(*said: str) -> tuple[Message, ...]:
    return tuple(Message(role=("user", "assistant")[n % 2], content=text) for n, text in enumerate(said))


def ask(agent: str, text: str, *said: str, **fields) -> Turn:
    return Turn(agent_id=agent, session_id="s", text=text, conversation=talk(*said), now=NOW, **fields)


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(deadline_ms=20_000.0)) as opened:
        yield opened


STORE = facts(
    EVIDENCE,
    "The office plants are watered by Ines on Mondays.",
    "Marek keeps his bicycle in the cellar of the office.",
    "The landlord raised the rent of the office in spring.",
    "The invoice of the printer arrived twice in August.",
)


@pytest.mark.parametrize("message", ["continue", "yes, the second one", "and the other one?", "go on", "why?"])
async def test_follow_up_shows_the_memory_of_the_preceding_question(layer, agent, message):
    await layer.remember(agent, STORE)
    first = await layer.pre_turn(ask(agent, QUESTION))
    assert EVIDENCE in [memory.content for memory in first.shown]
    context = await layer.pre_turn(ask(agent, message, QUESTION, "There are two candidates. Shall I go on?"))
    assert EVIDENCE in [memory.content for memory in context.shown]


async def test_unrelated_message_shows_no_memory(layer, agent):
    await layer.remember(agent, STORE)
    context = await layer.pre_turn(ask(agent, "what is the capital of mongolia"))
    assert context.shown == ()
    assert {result.disposition for result in context.trace.candidates} == {"irrelevant"}


async def test_session_embeds_each_text_once_and_responses_in_advance(urls, embedder, agent):
    counting = Counting(embedder)
    said: list[str] = []
    async with CognitiveLayer.open(urls.app, embedder=counting, policy=Policy(deadline_ms=20_000.0)) as layer:
        await layer.remember(agent, STORE)
        for n in range(4):
            message = f"{QUESTION[:-1]} number {n}?"
            context = await layer.pre_turn(ask(agent, message, *said))
            response = f"In step {n} they compared several caches. The vote of round {n} went to another day."
            await layer.post_turn(context, Outcome(response=response))
            await internals(layer).background.drain()
            assert {f"In step {n} they compared several caches."} <= set(counting.texts)
            said += [message, response]
    assert len(counting.texts) == len(set(counting.texts))


async def test_capturing_a_turn_embeds_its_response_once(urls, embedder, agent):
    counting, response = Counting(embedder), "The vote went to Redis because it was already in operation."
    policy = Policy(deadline_ms=20_000.0, capture="exchange", deadlines={"post_turn_ms": 20_000})
    async with CognitiveLayer.open(urls.app, embedder=counting, policy=policy) as layer:
        context = await layer.pre_turn(ask(agent, QUESTION))
        before = len(counting.texts)
        await layer.post_turn(context, Outcome(response=response))
        await internals(layer).background.drain()
    assert counting.texts[before:] == [response]


async def test_agent_policy_is_applied_and_recorded_in_turns(urls, embedder, agent):
    policy = Policy(deadline_ms=20_000.0, agents={agent: {"abstention": False}})
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        await layer.remember(agent, STORE)
        context = await layer.pre_turn(ask(agent, "what is the capital of mongolia"))
        assert context.shown
        assert context.plan.policy == context.policy.version == policy.for_agent(agent).version != policy.version
        replayed = await layer.explain.replay(agent, context.turn_id)
        assert replayed.verdict == "identical"
        assert await layer.why(agent, context.turn_id, context.shown[0].memory_id)


SAID = "Deploys to production are frozen until the fifth of January."
UNSAID = "The on-call engineer may lift the freeze for a security patch."


@pytest.mark.parametrize("by_reference", [False, True], ids=["with its context", "from another process"])
async def test_memory_is_shortened_to_its_unsaid_part_and_credited_for_it(urls, embedder, agent, by_reference):
    policy = Policy(deadline_ms=20_000.0, abstention=False, dedup={"mode": "shorten"})
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        [whole] = await layer.remember(agent, facts(f"{SAID} {UNSAID}"))
        earlier = ("What about the deploys?", f"As agreed: {SAID}")
        plain = await layer.pre_turn(ask(agent, "Who may lift the freeze of deploys?"))
        context = await layer.pre_turn(ask(agent, "Who may lift the freeze of deploys?", *earlier))
        [shown] = context.shown
        assert (shown.memory_id, shown.content) == (whole, UNSAID)
        assert "(excerpt)" in context.text
        assert shown.tokens < plain.shown[0].tokens
        turn = TurnRef(agent, context.turn_id) if by_reference else context
        report = await layer.post_turn(turn, Outcome(response=SAID))
        assert [verdict.referenced for verdict in report.attributions] == [False]
        assert (await layer.explain.replay(agent, context.turn_id)).verdict == "identical"
