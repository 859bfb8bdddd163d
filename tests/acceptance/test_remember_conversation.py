"""`remember_conversation`: a conversation held elsewhere becomes captured lines and formed memories, once."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from brain.agents import parked_turns
from cognitive import CognitiveLayer, ModelExtractor, NewMemory, Policy
from cognitive.errors import InvalidInput

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Our boiler is in the cellar, behind the red door."},
    {"role": "assistant", "content": "Good to know. Is it a gas boiler?"},
    {"role": "user", "content": "I can't stand the smell of gas. What else could we install?"},
    {"role": "assistant", "content": "A heat pump would be an option for your house."},
]


@pytest.fixture
async def patient(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=8_000), embedder=embedder) as layer:
        yield layer


async def contents(layer, agent: str, user: str | None = None) -> list[tuple[str, str]]:
    found = await layer.recall(agent, "boiler, gas and the house", limit=50, user_id=user)
    ids = [hit.memory_id for hit in found]
    return sorted((memory.type, memory.content) for memory in await layer.get(agent, ids, user_id=user))


async def test_lines_and_formed_memories_are_stored_for_the_user(patient, agent):
    report = await patient.remember_conversation(agent, TALK, user_id="ada")
    assert (len(report.lines), len(report.formed), report.known) == (4, 2, 0)
    stored = await patient.get(agent, [*report.lines, *report.formed], user_id="ada")
    assert {memory.user_id for memory in stored} == {"ada"}
    assert sorted(memory.content for memory in stored if "formed" in memory.tags) == [
        "I can't stand the smell of gas.",
        TALK[1]["content"],
    ]
    assert await contents(patient, agent) == []


async def test_progress_counts_the_exchanges_up_to_the_last_one(patient, agent):
    steps = []
    await patient.remember_conversation(agent, TALK, progress=lambda *step: steps.append(step))
    assert steps == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("by", ["host", "talk"])
async def test_restored_value_hides_all_corrections_of_it(patient, agent, by):
    said = ("My rent is 950.", "No, it's 960.", "No, it's 970.")
    talk = [{"role": role, "content": text} for each in said for role, text in (("user", each), ("assistant", "Ok."))]
    await patient.remember_conversation(agent, talk, user_id="ada")
    rents = await patient.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
    old, *corrections = [memory.id for memory in sorted(rents, key=lambda memory: memory.content)]
    assert len(corrections) == 2
    await patient.restore(agent, [old], by=by, user_id="ada")
    states = {each.id: each.hidden_reason for each in await patient.get(agent, [old, *corrections], user_id="ada")}
    assert states == {old: None, corrections[0]: "superseded", corrections[1]: "retired"}


async def test_repeated_and_longer_conversation_adds_only_what_is_new(patient, agent):
    first = await patient.remember_conversation(agent, TALK[:3], user_id="ada")
    again = await patient.remember_conversation(agent, TALK[:3], user_id="ada")
    longer = await patient.remember_conversation(agent, TALK, user_id="ada")
    assert (again.lines, again.formed, again.known) == ((), (), 1)
    assert (len(first.lines), len(longer.lines), longer.known) == (2, 2, 1)


@pytest.mark.parametrize("scope", ["user", "agent"])
async def test_longer_conversation_adds_the_answer_to_a_message_that_had_none(urls, embedder, agent, scope):
    policy = Policy(capture="exchange", capture_scope=scope, deadline_ms=8_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        first = await layer.remember_conversation(agent, TALK[:2], user_id="ada")
        longer, again = [await layer.remember_conversation(agent, TALK[:3], user_id="ada") for _ in range(2)]
        added = await layer.get(agent, longer.lines, user_id="ada")
    assert (len(first.lines), len(first.formed)) == (1, 1)
    assert ([memory.content for memory in added], longer.formed) == ([TALK[2]["content"]], ())
    assert (again.lines, again.known) == ((), 1)


async def test_message_repeated_in_a_longer_conversation_is_stored_again(patient, agent):
    asked, answers = "What else could we install in the cellar?", ["A heat pump, for example.", "Solar panels."]
    talk = [{"role": "user", "content": asked}]
    for answer in answers:
        await patient.remember_conversation(agent, talk, user_id="ada")
        talk += [{"role": "assistant", "content": answer}, {"role": "user", "content": asked}]
        await patient.remember_conversation(agent, talk, user_id="ada")
    again = await patient.remember_conversation(agent, talk, user_id="ada")
    assert (again.lines, again.known) == ((), 3)
    lines = await patient.admin.find(agent, {"type": {"eq": "episode"}}, user_id="ada")
    assert sorted(line.content for line in lines) == sorted([*answers, *[asked] * 3])


async def test_longer_answer_of_a_grown_conversation_stores_its_message_once(patient, agent):
    answer = [{"role": "assistant", "content": text} for text in ("Let me look at the plans.", "A heat pump fits.")]
    talk = [TALK[1], answer[0]]
    first = await patient.remember_conversation(agent, talk, user_id="ada")
    longer = await patient.remember_conversation(agent, [*talk, answer[1]], user_id="ada")
    again = await patient.remember_conversation(agent, [*talk, answer[1]], user_id="ada")
    added = await patient.get(agent, longer.lines, user_id="ada")
    assert (len(first.lines), [line.content for line in added]) == (2, ["A heat pump fits."])
    assert (again.lines, again.known) == ((), 1)


async def test_forgotten_memory_is_not_formed_from_the_same_conversation(patient, agent):
    report = await patient.remember_conversation(agent, TALK[:3])
    await patient.forget(agent, report.formed)
    again = await patient.remember_conversation(agent, TALK[:3])
    assert (again.formed, again.known) == ((), 1)


async def test_later_value_of_a_conversation_replaces_the_earlier_one(patient, agent):
    talk = [{"role": "user", "content": f"Our rent is {rent} euros."} for rent in (900, 950)]
    report = await patient.remember_conversation(agent, talk)
    old, new = await patient.get(agent, report.formed)
    assert (old.hidden_reason, old.replaced_by) == ("superseded", new.id)


async def test_conversation_of_last_year_replaces_nothing_of_this_year(patient, agent):
    def talk(rent: int, at: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": f"Our rent is {rent} euros.", "at": at}]

    this_year = await patient.remember_conversation(agent, talk(950, "2026-03-01T09:00:00Z"), session_id="new")
    last_year = await patient.remember_conversation(agent, talk(900, "2025-03-01T09:00:00Z"), session_id="old")
    new, old = await patient.get(agent, [*this_year.formed, *last_year.formed])
    assert (new.hidden_reason, old.hidden_reason, old.replaced_by) == (None, "superseded", new.id)
    lines = await patient.get(agent, [*this_year.lines, *last_year.lines])
    assert [line.hidden_reason for line in lines] == [None, None]


def users(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


@pytest.mark.parametrize(
    ("stated", "said", "reason"),
    [
        ("Our standup is at 12.", "That's wrong, it's 14.", "superseded"),
        ("I love strong coffee.", "I no longer love coffee.", "retired"),
        ("Our standup is at 12.", "That's wrong, it's Miriam.", None),
    ],
)
async def test_conversation_corrects_what_was_said_before(patient, agent, stated, said, reason):
    report = await patient.remember_conversation(agent, users(stated, said), user_id="ada")
    [memory] = [each for each in await patient.get(agent, report.formed, user_id="ada") if each.content == stated]
    assert [each.reason for each in report.corrections] == ([reason] if reason else [])
    assert memory.hidden_reason == reason
    again = await patient.remember_conversation(agent, users(stated, said), user_id="ada")
    assert again.corrections == ()
    if reason == "superseded":
        [new] = await patient.get(agent, [report.corrections[0].replaced_by], user_id="ada")
        assert (new.content, new.user_id) == ("Our standup is at 14.", "ada")


async def test_correction_that_states_the_value_again_is_formed_once(patient, agent):
    said = users("Our rent is 900 euros.", "No, our rent is 950 euros.", "No, 970.")
    report = await patient.remember_conversation(agent, said, user_id="ada")
    assert [each.reason for each in report.corrections] == ["superseded", "superseded"]
    formed = await patient.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
    assert [each.content for each in formed if each.hidden_at is None] == ["Our rent is 970 euros."]


async def test_correction_of_an_answer_in_a_conversation_leaves_what_was_said(patient, agent):
    messages = [*users("Our standup is at 12. What is 9 times 9?"), {"role": "assistant", "content": "It's 91."}]
    report = await patient.remember_conversation(agent, [*messages, *users("That's wrong, it's 81.")], user_id="ada")
    assert report.corrections == ()


async def test_conversation_of_last_year_takes_back_nothing_of_this_year(patient, agent):
    new = await patient.remember_conversation(agent, users("I love strong coffee."), session_id="new")
    old = await patient.remember_conversation(
        agent, users("I no longer love coffee."), session_id="old", now=datetime(2025, 3, 1, tzinfo=UTC)
    )
    assert old.corrections == ()
    [memory] = await patient.get(agent, new.formed)
    assert memory.hidden_reason is None


async def test_exchange_that_the_model_did_not_read_is_parked_until_asked_for(urls, embedder, agent):
    said = "Port 5433 is where staging listens since last night."
    entry = {"kind": "fact", "text": "Staging listens on port 5433", "quote": said}

    async def ask(prompt: str) -> str:
        return json.dumps({"memories": [entry]})

    policy = Policy(deadline_ms=8_000)

    def opened(**settings):
        return CognitiveLayer.open(
            urls.app, policy=policy, embedder=embedder, extractor=ModelExtractor(ask, **settings)
        )

    async with opened(tokens_per_day=1) as layer:
        report = await layer.remember_conversation(agent, users(said), user_id="ada")
        assert report.unread == 1
        assert (await layer.admin.form_by_model(agent, parked=True)).parked == 1
    parked = {name: (turns, first) for name, turns, first in await parked_turns(urls.admin)}
    assert parked[agent] == (1, f"memory {report.lines[0]}")
    async with opened() as layer:
        assert (await layer.admin.form_by_model(agent, dry_run=True)).parked == 1
        assert (await layer.admin.form_by_model(agent, parked=True)).read == 1
        assert (await layer.admin.form_by_model(agent, parked=True)).read == 0
        found = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
    assert [memory.content for memory in found] == [entry["text"]]
    assert agent not in {name for name, _, _ in await parked_turns(urls.admin)}


@pytest.mark.parametrize("change", ["forget", "retire"])
async def test_parked_line_that_goes_while_the_model_reads_forms_nothing(urls, embedder, agent, change):
    gone, said = "My locker at the pool is number 77.", "Port 5433 is where staging listens since last night."
    texts = {gone: "The locker is number 77", said: "Staging listens on port 5433"}

    async def ask(prompt: str) -> str:
        now_read = [each for each in texts if each in prompt.split("--- exchange", 1)[1]]
        if gone in now_read:
            await getattr(layer, change)(agent, [report.lines[0]], user_id="ada")
        entries = [{"kind": "fact", "text": texts[each], "quote": each} for each in now_read]
        return json.dumps({"memories": entries})

    policy, limited = Policy(deadline_ms=8_000), ModelExtractor(ask, tokens_per_day=1)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, extractor=limited) as layer:
        report = await layer.remember_conversation(agent, users(gone, said), user_id="ada")
    model = ModelExtractor(ask)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, extractor=model) as layer:
        assert (await layer.admin.form_by_model(agent, parked=True)).read == 1
        found = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
    assert texts[gone] not in {memory.content for memory in found}
    assert texts[said] in {memory.content for memory in found}


async def test_hidden_parked_lines_hold_up_no_visible_one(patient, agent):
    mark = {"model_state": "parked"}
    lines = [NewMemory(type="episode", content=f"Line {n}", metadata=mark) for n in range(1_001)]
    ids = await patient.remember(agent, lines)
    await patient.retire(agent, ids[:1_000])
    assert (await patient.admin.form_by_model(agent, dry_run=True)).parked == 1


@pytest.mark.parametrize(
    "wrong", ["hello", {"role": "poet", "content": "x"}, {"content": "x"}, {"role": "user", "a": 1}]
)
async def test_invalid_message_stores_nothing(patient, agent, wrong):
    with pytest.raises(InvalidInput):
        await patient.remember_conversation(agent, [*TALK, wrong])
    assert await contents(patient, agent) == []
