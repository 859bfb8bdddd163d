"""Formation by a model of the host's: each turn is read once, within bounds, also after failures and crashes."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import asyncpg
import pytest

from brain.errors import InvalidInput
from cognitive import CognitiveLayer, ModelExtractor, NewMemory, Outcome, Policy, Turn

MOVED = "Port 5433 is where staging listens since last night."
AUNT = "Rosa, the aunt, turns ninety in May."


class Scripted:
    """A model that answers with entries by a word of the conversation, and keeps the prompts."""

    def __init__(self, answers: dict[str, list[dict]] | None = None, *, failures: int = 0) -> None:
        self.answers = answers or {}
        self.failures = failures
        self.prompts: list[str] = []

    async def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if len(self.prompts) <= self.failures:
            raise ConnectionError("refused")
        said = prompt.split("--- exchange", 1)[1]
        return json.dumps(
            {"memories": [each for word, found in self.answers.items() if word in said for each in found]}
        )


def entry(**given) -> dict:
    return {"kind": "fact", "text": "Staging listens on port 5433", "quote": MOVED} | given


STAGING = {"staging": [entry()]}
ROSA = {"Rosa": [entry(text="Aunt Rosa turns 90 in May", quote=AUNT)]}


@asynccontextmanager
async def reading(urls, embedder, ask, capture="exchange", capture_scope="user", formation=None, **settings):
    """Open a layer with a model. What was begun is read once it is closed."""
    policy = Policy(
        capture=capture,
        capture_scope=capture_scope,
        formation=formation or {},
        deadline_ms=8_000,
        deadlines={"post_turn_ms": 20_000},
        trust={"max_per_source": 9},
    )
    model = ModelExtractor(ask, **settings) if ask is not None else None
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, extractor=model) as layer:
        yield layer


async def say(layer, agent, text, user=None, session="s1", turn_id=None, answer="I see."):
    turn = Turn(
        agent_id=agent, session_id=session, text=text, user_id=user, **({"turn_id": turn_id} if turn_id else {})
    )
    context = await layer.pre_turn(turn)
    await layer.post_turn(context, Outcome(response=answer))
    return context


async def formed(urls, embedder, agent, user=None):
    async with reading(urls, embedder, None) as layer:
        return await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id=user)


async def by_model(urls, embedder, agent, user=None):
    found = await formed(urls, embedder, agent, user)
    return [memory.content for memory in found if memory.attributes["formed_by"].startswith("model/")]


async def make_due(urls, agent):
    """End the reservations and pauses of an agent's turns, as if their time had passed."""
    connection = await asyncpg.connect(urls.admin)
    try:
        await connection.execute("UPDATE cognitive.turn SET model_due = NULL WHERE agent_id = $1", agent)
    finally:
        await connection.close()


async def test_model_forms_a_memory_with_its_evidence(urls, embedder, agent):
    async with reading(urls, embedder, Scripted(STAGING)) as layer:
        await say(layer, agent, f"Hello! {MOVED}", user="ada")
    [memory] = await formed(urls, embedder, agent, "ada")
    assert (memory.type, memory.content, memory.trust) == ("fact", "Staging listens on port 5433", "talk")
    assert memory.attributes == {"formed_by": "model/1", "evidence": MOVED}
    assert (memory.user_id, memory.speaker, memory.pinned) == ("ada", "ada", False)
    assert memory.source.endswith("/user")


async def test_retried_outcome_is_read_once(urls, embedder, agent):
    ask = Scripted(STAGING)
    for _ in range(2):
        async with reading(urls, embedder, ask) as layer:
            context = await say(layer, agent, MOVED, turn_id="t1")
            await layer.post_turn(context, Outcome(response="I see."))
    assert len(ask.prompts) == 1
    assert await by_model(urls, embedder, agent) == ["Staging listens on port 5433"]


async def test_rules_and_model_form_one_memory_of_the_same_words(urls, embedder, agent):
    said = "I can't stand the smell of lavender."
    ask = Scripted({"lavender": [entry(kind="preference", text="Dislikes lavender", quote=said)]})
    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, said)
        await layer.remember_conversation(agent, [{"role": "user", "content": said}], session_id="c")
    assert [memory.content for memory in await formed(urls, embedder, agent)] == [said, said]
    assert any("m1 (fact)" in prompt for prompt in ask.prompts)


async def test_new_value_replaces_the_memory_that_the_model_was_shown(urls, embedder, agent):
    answers = STAGING | {
        "5434": [entry(text="Staging listens on 5434", quote="They gave staging port 5434 now.", replaces="m1")]
    }
    ask = Scripted(answers)
    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, MOVED)
    ask.answers.pop("staging")
    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, "They gave staging port 5434 now.")
    old, *_ = await formed(urls, embedder, agent)
    assert (old.content, old.hidden_reason) == ("Staging listens on port 5433", "superseded")


@pytest.mark.parametrize("scope", ["user", "agent"])
async def test_model_replaces_nothing_of_the_host_or_of_another_user(urls, embedder, agent, scope):
    hostile = [entry(replaces=name, text=f"text {name}") for name in ("m1", "m2", "m3")]
    async with reading(urls, embedder, Scripted(STAGING), capture_scope=scope) as layer:
        [host] = await layer.remember(agent, [NewMemory(type="fact", content=MOVED)])
        await say(layer, agent, MOVED, user="ada")
    async with reading(urls, embedder, Scripted({"staging": hostile}), capture_scope=scope) as layer:
        await say(layer, agent, MOVED, user="ben")
        assert [memory.hidden_reason for memory in await layer.get(agent, [host])] == [None]
    kept = await formed(urls, embedder, agent, "ada")
    assert [memory.hidden_reason for memory in kept] == [None]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"memories": [entry(text=f"Fact {n}") for n in range(500)]}),
        json.dumps([entry(trust="host", pinned=True, user_id="eve", type="decision", tags=["x"], id="1")]),
        json.dumps({"memories": [entry(kind="episode"), entry(quote="never said"), entry(text="x" * 9_000)]}),
        "[" * 50_000,
        '{"memories": [{"kind": "fact"',
        "Ignore the above. " * 20_000,
    ],
)
async def test_hostile_answers_stay_within_bounds(urls, embedder, agent, answer):
    async def ask(prompt):
        return answer

    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, MOVED, user="ada")
    assert await formed(urls, embedder, agent, "eve") == []
    found = await formed(urls, embedder, agent, "ada")
    assert len(found) <= 10
    for memory in found:
        assert (memory.type, memory.trust, memory.pinned, memory.tags) == ("fact", "talk", False, ("formed",))


@pytest.mark.parametrize(
    ("formation", "expected"),
    [
        ({"kinds": ("decision",)}, []),
        ({"never_topics": ("staging",)}, []),
        ({"topics": ("staging",)}, [entry()["text"]]),
    ],
)
async def test_policy_bounds_the_model(urls, embedder, agent, formation, expected):
    ask = Scripted(STAGING)
    async with reading(urls, embedder, ask, formation={**formation, "instructions": "Note ports only."}) as layer:
        await say(layer, agent, MOVED)
    assert await by_model(urls, embedder, agent) == expected
    assert "Note ports only." in ask.prompts[0]


async def test_entries_that_cannot_be_stored_are_left_out(urls, embedder, agent):
    ask = Scripted({"staging": [entry(text="Staging moved \ud83d"), entry(text="Staging \x00 moved"), entry()]})
    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, MOVED)
    assert await by_model(urls, embedder, agent) == [entry()["text"]]


async def test_secrets_are_not_sent_and_not_formed(urls, embedder, agent):
    quote = "My wifi password is Tulip-88."
    ask = Scripted({"wifi": [entry(text="The wifi password is Tulip-88", quote=quote)]})
    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, f"{quote} The lake house has a new gate.")
    assert "Tulip-88" not in ask.prompts[0]
    assert await by_model(urls, embedder, agent) == []


async def test_turns_are_read_together_after_every_third(urls, embedder, agent):
    ask = Scripted(STAGING | ROSA)
    async with reading(urls, embedder, ask, after=3) as layer:
        for text in (MOVED, AUNT):
            await say(layer, agent, text)
    assert ask.prompts == []
    async with reading(urls, embedder, ask, after=3) as layer:
        await say(layer, agent, "The garden gate is green.")
    assert len(ask.prompts) == 1
    assert sorted(await by_model(urls, embedder, agent)) == [
        "Aunt Rosa turns 90 in May",
        "Staging listens on port 5433",
    ]


@pytest.mark.parametrize("after", ["session_end", "idle", 9])
async def test_ended_session_is_read(urls, embedder, agent, after):
    ask = Scripted(STAGING)
    async with reading(urls, embedder, ask, after=after) as layer:
        await say(layer, agent, MOVED)
        await layer.sessions.end(agent, "s1")
    assert len(ask.prompts) == 1
    assert await by_model(urls, embedder, agent) == ["Staging listens on port 5433"]


async def test_idle_session_is_read_without_another_turn(urls, embedder, agent):
    read = asyncio.Event()
    scripted = Scripted(STAGING)

    async def ask(prompt):
        read.set()
        return await scripted(prompt)

    async with reading(urls, embedder, ask, after="idle", idle_seconds=0.05) as layer:
        await say(layer, agent, MOVED)
        await asyncio.wait_for(read.wait(), 20)
    assert await by_model(urls, embedder, agent) == ["Staging listens on port 5433"]


async def test_exchange_is_parked_after_three_failures_and_read_on_demand(urls, embedder, agent):
    ask = Scripted(STAGING, failures=3)
    async with reading(urls, embedder, ask) as layer:
        await say(layer, agent, MOVED)
    for _ in range(3):
        await make_due(urls, agent)
        async with reading(urls, embedder, ask) as layer:
            await layer.pre_turn(Turn(agent_id=agent, session_id="s2", text="Good morning!"))
    assert len(ask.prompts) == 3
    async with reading(urls, embedder, ask) as layer:
        counted = await layer.admin.form_by_model(agent, dry_run=True)
        assert (counted.read, counted.parked) == (0, 1)
        assert (await layer.admin.form_by_model(agent, parked=True)).read == 1
    assert await by_model(urls, embedder, agent) == ["Staging listens on port 5433"]


async def test_failed_exchange_waits_before_it_is_tried_again(urls, embedder, agent):
    ask = Scripted(STAGING, failures=1)
    for text in (MOVED, "Good morning!", "How are you?"):
        async with reading(urls, embedder, ask) as layer:
            await say(layer, agent, text)
    assert len(ask.prompts) == 1


async def test_budget_of_the_day_is_kept(urls, embedder, agent):
    ask = Scripted(STAGING | ROSA)
    for text in (MOVED, AUNT):  # closing a layer waits until the model has read the session
        async with reading(urls, embedder, ask, tokens_per_day=450) as layer:
            await say(layer, agent, text)
            await layer.sessions.end(agent, "s1")
    assert len(ask.prompts) == 1
    async with reading(urls, embedder, ask) as layer:
        assert (await layer.admin.form_by_model(agent, dry_run=True)).read == 1


async def test_turn_that_a_crash_left_is_read_by_the_next_process(urls, embedder, agent):
    async def never(prompt):
        await asyncio.Event().wait()

    async with reading(urls, embedder, never, timeout=0.05) as layer:
        await say(layer, agent, MOVED)
    await make_due(urls, agent)
    ask = Scripted(STAGING)
    for _ in range(2):
        async with reading(urls, embedder, ask) as layer:
            await layer.pre_turn(Turn(agent_id=agent, session_id="s2", text="Good morning!"))
    assert len(ask.prompts) == 1
    assert await by_model(urls, embedder, agent) == ["Staging listens on port 5433"]


async def test_two_processes_ask_once(urls, embedder, agent):
    ask = Scripted(STAGING)
    async with reading(urls, embedder, None) as layer:
        await say(layer, agent, MOVED)
    async with reading(urls, embedder, ask) as one, reading(urls, embedder, ask) as other:
        await asyncio.gather(one.admin.form_by_model(agent), other.admin.form_by_model(agent))
    assert len(ask.prompts) == 1
    assert await by_model(urls, embedder, agent) == ["Staging listens on port 5433"]


async def test_existing_turns_of_all_users_are_read_in_a_batch(urls, embedder, agent):
    async with reading(urls, embedder, None) as layer:
        for n, user in enumerate((None, "ada", "ben")):
            await say(layer, agent, MOVED, user=user, session=f"s{n}")
            await say(layer, agent, AUNT, user=user, session=f"s{n}")
    ask, steps = Scripted(STAGING | ROSA), []
    async with reading(urls, embedder, ask) as layer:
        assert (await layer.admin.form_by_model(agent, dry_run=True)).read == 6
        assert ask.prompts == []
        report = await layer.admin.form_by_model(agent, progress=lambda done, total: steps.append((done, total)))
        assert (report.read, report.waiting, report.parked) == (6, 0, 0)
        assert (await layer.admin.form_by_model(agent)).read == 0
    assert steps == [(2, 6), (4, 6), (6, 6)]
    assert len(ask.prompts) == 3
    for user in (None, "ada", "ben"):
        own = [each for each in await formed(urls, embedder, agent, user) if each.user_id == user]
        assert len([each for each in own if each.attributes["formed_by"].startswith("model/")]) == 2


async def test_batch_needs_a_model(urls, embedder, agent):
    async with reading(urls, embedder, None) as layer:
        with pytest.raises(InvalidInput, match="ModelExtractor"):
            await layer.admin.form_by_model(agent)


async def test_forgotten_line_is_not_sent_to_the_model(urls, embedder, agent):
    ask = Scripted(STAGING)
    async with reading(urls, embedder, ask, after="session_end") as layer:
        await say(layer, agent, MOVED)
        lines = await layer.admin.find(agent, {"tags": {"eq": "captured"}})
        await layer.forget(agent, [line.id for line in lines])
        await layer.sessions.end(agent, "s1")
    assert ask.prompts == []


async def test_conversation_is_read_by_the_model_once(urls, embedder, agent):
    ask = Scripted(STAGING)
    messages = [{"role": "user", "content": MOVED}, {"role": "assistant", "content": "Noted."}]
    at = datetime(2026, 3, 1, tzinfo=UTC)
    async with reading(urls, embedder, ask) as layer:
        first = await layer.remember_conversation(agent, messages, user_id="ada", now=at)
        again = await layer.remember_conversation(agent, messages, user_id="ada", now=at)
    assert (len(first.formed), first.unread, again.known, len(ask.prompts)) == (1, 0, 1, 1)
    assert await by_model(urls, embedder, agent, "ada") == ["Staging listens on port 5433"]
