"""Promise P10: erased memories leave no text, hash or vector in any table or file, nor in this process."""

from __future__ import annotations

import asyncio
import json
import sys
import unicodedata

import asyncpg
import pytest
from erased import (
    ASKED,
    AT,
    CUT,
    SECRET,
    InterruptingEmbedder,
    WordEmbedder,
    drain_background,
    files,
    in_this_process,
    opened,
    places_of_secret,
    site,
    tables,
    undrained,
    use_every_feature,
    vector,
    vectors_of_turns,
)

from brain.erasure import purge_derived
from brain.erasure.residue import Residue
from brain.text import normalise, word_spans
from brain.users import ALL_USERS, Scope
from cognitive import NewMemory, Outcome, Turn, TurnRef
from cognitive.errors import InvalidInput, UnknownMemory, UnknownTurn
from cognitive.hook.events import Hooks
from cognitive.recording.record import open_turn
from cognitive.server.context_cache import ContextCache
from tests.internals import internals

pytestmark = pytest.mark.promise(number=10)

__all__ = ["site"]  # a fixture


async def test_forgotten_memory_leaves_no_trace(site, agent):
    async with opened(site) as layer:
        secret, contexts = await use_every_feature(layer, agent)
        made = await vector(site, secret)
        before = await places_of_secret(site, agent, made)
        assert set(before) == {
            "memory",
            "passage",
            "posting",
            "memory_value",
            "embedding",
            "turn",
            "session",
            "artifact_chunk",
            "subtask",
            "revision",
            "policy_version",
            "policy_activation",
        }
        turn_ids = await vectors_of_turns(site, agent)
        assert len(turn_ids) == 4
        receipt = await layer.forget(agent, [secret])
        await drain_background(layer)
        assert await places_of_secret(site, agent, made) == []
        assert await vectors_of_turns(site, agent) < turn_ids  # turns with the secret have none
        assert receipt.memories > 1  # a captured memory that held nothing else is deleted too
        assert [name for name in CUT if not getattr(receipt, name)] == []
        assert not layer.policies._samples._kept
        assert (await layer.policies.effective(agent)).live.usage.half_life_days == 9
        assert [hit.content for hit in await layer.recall(agent, "green crane")][:1] == ["The crane is green."]
        with pytest.raises(UnknownMemory):
            await layer.forget(agent, [secret])
        del contexts
        assert in_this_process() == []


async def test_preview_equals_the_receipt_and_changes_nothing(site, agent):
    async with opened(site) as layer:
        secret, _ = await use_every_feature(layer, agent)
        await drain_background(layer)
        before = await tables(site)
        foreseen = await layer.admin.preview_forget(agent, [secret])

        assert await tables(site) == before
        assert [name for name in CUT if not getattr(foreseen, name)] == []
        assert foreseen.responses
        assert await layer.forget(agent, [secret]) == foreseen
        with pytest.raises(UnknownMemory):
            await layer.admin.preview_forget(agent, [secret])


async def test_erased_agent_leaves_no_trace_and_is_not_restored(site, agent):
    async with opened(site) as layer:
        _, contexts = await use_every_feature(layer, agent)
        late = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=SECRET, turn_id="late"))
        await layer.erase_agent(agent)
        with pytest.raises(UnknownTurn):
            await layer.post_turn(late, Outcome(response=SECRET))
        with pytest.raises(UnknownTurn):
            await layer.post_turn(contexts[0], Outcome(response=SECRET))
        await drain_background(layer)
        assert {name for name, rows in (await tables(site)).items() if any(agent in row for row in rows)} == {"erasure"}
        assert await places_of_secret(site, agent) == []
        [erasure] = await layer.admin.erasures(agent)
        assert erasure.what == "agent"
        assert erasure.counts["turns"] == 5
        anew = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Hello again, what is new?"))
        assert (await layer.post_turn(anew, Outcome(response="Nothing."))).recorded


async def test_forget_erases_the_text_from_the_journal(site, agent):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        recorder = internals(layer).outcomes
        await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="t"))
        async with undrained(internals(layer).journal):  # entries stay in the journal, as when Postgres is away
            await recorder._keep(Scope(agent), "lost", None, Outcome(response=f"Yes. {SECRET}"))
            await recorder._keep(Scope(agent), "t", None, Outcome(response=f"Yes. {SECRET}"))
            assert files(site)
            receipt = await layer.forget(agent, [secret])
            assert receipt.journaled == 2
            assert await places_of_secret(site, agent) == []
        while internals(layer).journal.count():
            await asyncio.sleep(0.01)
        assert await places_of_secret(site, agent) == []


async def test_draining_during_forget_does_not_restore_the_memory(site, agent):
    embedder = InterruptingEmbedder("Yes.")
    async with opened(site, embedder=embedder) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        async with undrained(internals(layer).journal):
            await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="t"))
            await internals(layer).outcomes._keep(Scope(agent), "t", None, Outcome(response=f"Yes. {SECRET}"))
            embedder.meanwhile = lambda: layer.forget(agent, [secret])
        while internals(layer).journal.count():
            await asyncio.sleep(0.01)
        assert await places_of_secret(site, agent) == []
        assert [memory.content for memory in await layer.admin.find(agent, {"tags": {"eq": "captured"}})][:1] == [
            "Is it so? [erased]."
        ]


async def test_turn_prepared_before_forget_captures_the_erased_message(site, agent):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        before = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="t"))
        await layer.forget(agent, [secret])
        await layer.post_turn(before, Outcome(response="Nobody knows."))
        assert [memory.content for memory in await layer.admin.find(agent, {"tags": {"eq": "captured"}})][:1] == [
            "Is it so? [erased]."
        ]
        assert await places_of_secret(site, agent) == []


async def test_memory_captured_during_forget_is_erased(site, agent):
    embedder = InterruptingEmbedder("[erased]")
    async with opened(site, embedder=embedder) as layer, opened(site, embedder=WordEmbedder()) as another:
        talk = NewMemory(type="episode", content=f"Well. {SECRET}", occurred_at=AT, trust="talk")
        [secret, _] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT), talk])
        later = talk.model_copy(update={"content": f"So it is. {SECRET}"})
        embedder.meanwhile = lambda: another.remember(agent, [later])
        receipt = await layer.forget(agent, [secret])
        assert (receipt.memories, receipt.memories_cut) == (1, 2)
        assert {memory.content for memory in await layer.admin.find(agent)} == {
            "Well. [erased].",
            "So it is. [erased].",
        }
        assert await places_of_secret(site, agent) == []


async def test_replay_of_turns_with_a_forgotten_memory_reports_the_erasure(site, agent):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        showed = await layer.pre_turn(Turn(agent_id=agent, session_id="a", text=ASKED, turn_id="showed"))
        assert secret in {shown.memory_id for shown in showed.shown}
        await layer.pre_turn(Turn(agent_id=agent, session_id="b", text=f"Is it so? {SECRET}", turn_id="said"))
        await layer.forget(agent, [secret])
        replay = await layer.explain.replay(agent, "showed")
        assert (replay.verdict, secret in replay.gone) == ("changed since", True)
        assert "erased" in replay.reason
        with pytest.raises(InvalidInput, match="erased"):
            await layer.explain.replay(agent, "said")
        assert (await layer.explain.turn(agent, "said")).message == "Is it so? [erased]."


async def test_equal_memories_of_other_sources_stay_and_are_counted(site, agent):
    async with opened(site) as layer:
        ids = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, source=source) for source in "ab"])
        receipt = await layer.forget(agent, ids[:1])
        assert (receipt.memories, receipt.restated) == (1, 1)
        assert [memory.content for memory in await layer.get(agent, ids)] == [SECRET]


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("Ich wohne in der Hauptstraße seit Mai", "Ich wohne in der Hauptstraße seit Mai"),
        ("Ich wohne in der Hauptstrasse seit Mai", "Ich wohne in der Hauptstraße seit Mai"),
        ("Ο νέος κωδικός είναι εδώ", "ο νέος κωδικός είναι εδώ"),
        ("The key is ｔａｎｇｅｒｉｎｅ now", "The key is ｔａｎｇｅｒｉｎｅ now"),
        ("The key is tangerine now", "The key is ｔａｎｇｅｒｉｎｅ now"),
        ("열쇠는 시장골목에 있다", unicodedata.normalize("NFD", "열쇠는 시장골목에 있다")),
        ("La clé du café est là", unicodedata.normalize("NFD", "La clé du café est là")),
        ("Мой пароль от сейфа", json.dumps("Мой пароль от сейфа")[1:-1]),
    ],
)
async def test_text_is_erased_in_each_spelling_of_its_letters(site, agent, stored, said):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=stored)])
        turn = Turn(agent_id=agent, session_id="s", text=f"Note: {said}", turn_id="t")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Noted."))
        [other] = await layer.remember(agent, [NewMemory(type="episode", content=f"Ada: {said}", trust="talk")])
        await drain_background(layer)
        receipt = await layer.forget(agent, [secret])
        assert receipt.turns_cut == 1
        assert [turn.message for turn in await layer.explain.turns(agent)] == ["Note: [erased]"]
        assert [memory.content for memory in await layer.get(agent, [other])] == ["Ada: [erased]"]


@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
async def test_search_for_erased_text_finds_each_letter(urls, locale):
    letters = [letter for n in range(1, sys.maxunicode) if list(word_spans(letter := chr(n))) and letter.isprintable()]
    condition = purge_derived._MAY_CONTAIN.replace(":probes::text[]", "ARRAY[said.probe]")
    connection = await asyncpg.connect(urls.admin)
    try:
        await connection.execute(f"CREATE DATABASE \"letters {locale}\" TEMPLATE template0 LOCALE '{locale}'")
        of_locale = await asyncpg.connect(urls.admin, database=f"letters {locale}")
        try:
            missed = await of_locale.fetch(
                f"SELECT text FROM unnest($1::text[], $2::text[]) AS said(text, probe) WHERE NOT {condition}",
                letters,
                [normalise(letter) for letter in letters],
            )
        finally:
            await of_locale.close()
            await connection.execute(f'DROP DATABASE "letters {locale}"')
    finally:
        await connection.close()
    assert [row["text"] for row in missed] == []


async def test_forget_removes_turns_from_the_server_caches(site, agent):
    async with opened(site) as layer:
        cache, hooks = ContextCache(8), Hooks(layer)
        layer.admin.on_erasure(cache.forget)
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        cache.put(await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED, turn_id="held")))
        cache.put(await layer.pre_turn(Turn(agent_id=f"{agent}-2", session_id="s", text=ASKED, turn_id="theirs")))
        prompt = {"session_id": "hooked", "prompt": ASKED, "prompt_id": "p"}
        await hooks.handle("user-prompt-submit", json.dumps(prompt).encode(), agent=agent)
        await layer.forget(agent, [secret])
        assert cache.get(TurnRef(agent, "held")) == TurnRef(agent, "held")
        assert len(cache) == 1
        assert isinstance(next(iter(hooks._sessions.values())).open.turn, TurnRef)
        assert (await layer.post_turn(cache.get(TurnRef(agent, "held")), Outcome(response="I do not know."))).recorded


async def test_journal_of_another_machine_does_not_restore_an_erased_agent(site, agent, tmp_path, monkeypatch):
    async with opened(site) as elsewhere:
        context = await elsewhere.pre_turn(Turn(agent_id=agent, session_id="s", text=SECRET, turn_id="t"))
        await elsewhere.post_turn(context, Outcome(response=SECRET))
        async with opened(site) as here:
            await here.erase_agent(agent)
        await internals(elsewhere).outcomes._keep(Scope(agent), "t", open_turn(context), Outcome(response=SECRET))
        entry = await asyncio.to_thread(internals(elsewhere).outcomes._journal.find, Scope(agent), "t")
        if entry is not None:  # otherwise the journal is already drained, as it should be
            await internals(elsewhere).outcomes.drain(entry)
        assert await places_of_secret(site, agent) == []
        assert await elsewhere.explain.turns(agent) == []


async def test_purge_under_the_lock_reads_only_newer_rows(site, agent):
    async with opened(site) as layer:
        database, purge = internals(layer).database, purge_derived.Purge(agent, "", Residue([SECRET]), True)
        since = await database.run(Scope(agent), lambda c: c.fetchval(*purge_derived.SQL.running()))
        await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="since"))
        later = since + 1_000_000
        assert not (await database.run(Scope(agent, ALL_USERS), lambda c: purge_derived.erase(c, purge, later)))[
            "turns"
        ]
        assert (await database.run(Scope(agent, ALL_USERS), lambda c: purge_derived.erase(c, purge, since)))[
            "turns"
        ] == 1
