"""The language of an agent is recognised from its memories, and never replaces one that was chosen."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
from hashed import old

from cognitive import CognitiveLayer, NewMemory, Policy, Turn

AT = datetime(2026, 10, 3, 12, tzinfo=UTC)
GERMAN = [
    "Die Häuser am Hang gehören der Frau Lindner.",
    "Alle Schlüssel hängen neben dem Barometer in der Küche.",
    "Wir haben die Wartung auf den Montag verschoben.",
    "Der Zugang zum Server ist nur über das VPN möglich.",
]
FRENCH = [
    "Les clés de la cave sont dans le tiroir du bureau.",
    "Nous avons choisi les serveurs de la société Lumen.",
    "Le contrat avec le fournisseur se termine en juin.",
]
ENGLISH = [
    "The keys are kept in the drawer of the hall.",
    "We have moved the meeting to the next Monday.",
    "The contract with the landlord ends in June.",
    "She is allergic to nuts and to the pollen of birches.",
]


@pytest.fixture
def opened(urls):
    @asynccontextmanager
    async def opened():
        policy = Policy(abstention=False, deadline_ms=5_000)
        async with CognitiveLayer.open(urls.app, policy=policy, embedder=[old()]) as layer:
            yield layer

    return opened


async def remember(opened, agent: str, contents: list[str]) -> str:
    """Store memories one by one, wait until their language is recognised, and return it from a new layer."""
    async with opened() as layer:
        for n, content in enumerate(contents):
            memory = NewMemory(type="fact", content=content, occurred_at=AT + timedelta(minutes=n))
            await layer.remember(agent, [memory])
        # Closing waits only a second for the change of language, less than a busy machine may need.
        await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == agent))
    async with opened() as layer:
        return await layer.admin.language(agent)


async def by_words(layer: CognitiveLayer, agent: str, text: str) -> list[str]:
    """Return the memories that share a word with a text, the most similar first."""
    hits = await layer.recall(agent, text, now=AT + timedelta(days=2))
    worded = [hit for hit in hits if "content_bm25" in hit.scores]
    return [hit.content for hit in sorted(worded, key=lambda hit: -hit.scores["content_bm25"])]


@pytest.mark.parametrize(
    ("contents", "language", "question", "answer"),
    [
        (GERMAN, "german", "Wem gehört das Haus?", GERMAN[0]),
        (FRENCH, "french", "un serveur choisi", FRENCH[1]),
        (ENGLISH, "english", "meetings moving", ENGLISH[1]),
    ],
)
async def test_first_batch_of_memories_sets_the_language(opened, agent, contents, language, question, answer):
    async with opened() as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=each, occurred_at=AT) for each in contents])
        status = await layer.admin.reindexing.status(agent)
        assert (status.language, status.pending_language, status.chosen) == (language, None, False)
        assert (status.lacking, status.leaving) == (0, 0)
        assert await by_words(layer, agent, question) == [answer]


async def test_language_follows_once_most_memories_are_in_another(opened, agent):
    assert await remember(opened, agent, ["Lindner, Hang 4"]) == "english"
    assert await remember(opened, agent, GERMAN) == "german"
    async with opened() as layer:
        assert await by_words(layer, agent, "Wem gehört das Haus?") == [GERMAN[0]]
        assert (await layer.admin.reindexing.status(agent)).leaving == 0


async def test_store_in_two_languages_keeps_its_language(opened, agent):
    mixed = [text for pair in zip(ENGLISH, GERMAN, strict=True) for text in pair]
    assert await remember(opened, agent, mixed) == "english"
    assert await remember(opened, f"{agent}-german", [*GERMAN, *ENGLISH]) == "german"


@pytest.mark.parametrize(
    "content",
    [
        "Met Ana de la Cruz in Rio de Janeiro.",
        "Los Angeles, La Jolla, Las Vegas",
        "I am in Bar Harbor, war museum",
    ],
)
async def test_names_in_one_memory_leave_the_language_english(opened, agent, content):
    assert await remember(opened, agent, [content]) == "english"


async def test_one_of_two_workers_completes_a_change(opened, agent, urls):
    async with opened() as layer, opened() as other:
        numbered = [f"{each} Das ist Nummer {n}." for n in range(40) for each in GERMAN]
        await layer.remember(agent, [NewMemory(type="fact", content="Lindner, Hang 4", occurred_at=AT)])
        await layer.admin.set_language(agent, "simple")
        await layer.remember(agent, [NewMemory(type="fact", content=each, occurred_at=AT) for each in numbered])
        connection = await asyncpg.connect(urls.admin)
        try:
            statement = "UPDATE cognitive.agent_state SET language_chosen = false WHERE agent_id = $1"
            await connection.execute(statement, agent)
        finally:
            await connection.close()
        await asyncio.gather(*(each.admin.reindexing.recognise(agent) for each in (layer, other)))
        status = await layer.admin.reindexing.status(agent)
    assert (status.language, status.pending_language, status.lacking, status.leaving) == ("german", None, 0, 0)


@pytest.mark.parametrize("chosen", ["english", "simple"])
async def test_chosen_language_is_never_replaced(opened, agent, chosen):
    async with opened() as layer:
        await layer.admin.set_language(agent, chosen)
    assert await remember(opened, agent, GERMAN) == chosen
    async with opened() as layer:
        await layer.admin.reindexing.recognise(agent)
        status = await layer.admin.reindexing.status(agent)
    assert (status.language, status.pending_language, status.chosen) == (chosen, None, True)


async def test_chosen_language_replaces_a_recognised_one(opened, agent):
    assert await remember(opened, agent, GERMAN) == "german"
    async with opened() as layer:
        assert (await layer.admin.set_language(agent, "english")).chosen
    assert await remember(opened, agent, [f"{each} Das ist sicher." for each in GERMAN]) == "english"


async def test_interrupted_change_continues_after_a_later_write(opened, agent, urls):
    await remember(opened, agent, ["Lindner, Hang 4"])
    connection = await asyncpg.connect(urls.admin)
    try:
        statement = "UPDATE cognitive.agent_state SET pending_language = 'german' WHERE agent_id = $1"
        await connection.execute(statement, agent)
    finally:
        await connection.close()
    assert await remember(opened, agent, ["Hang 5", "Hang 6"]) == "german"


async def test_turn_finds_a_german_memory_by_another_form(opened, agent):
    async with opened() as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=each, occurred_at=AT) for each in GERMAN])
        turn = Turn(agent_id=agent, session_id="t", text="Wem gehört das Haus?", now=AT + timedelta(days=2))
        context = await layer.pre_turn(turn)
    assert GERMAN[0] in context.text
    assert context.degraded == ()


CHINESE = ["Redis集群部署在上海机房。", "张伟的手机号码是１３８００。", "我们决定使用Postgres。", "周五下午三点开会。"]
JAPANESE = [
    "会議は金曜日の午後三時からです。",
    "サーバーの鍵は受付の引き出しにあります。",
    "田中さんはそばアレルギーです。",
]


@pytest.mark.parametrize(
    ("contents", "question", "answer"),
    [
        (CHINESE, "请问Redis 集群在哪里？", CHINESE[0]),
        (CHINESE, "谁的号码是13800", CHINESE[1]),
        (CHINESE, "为什么使用ＰＯＳＴＧＲＥＳ？", CHINESE[2]),
        (CHINESE, "开会是几点", CHINESE[3]),
        (JAPANESE, "鍵はどこにありますか？", JAPANESE[1]),
        (JAPANESE, "ｻｰﾊﾞｰの場所", JAPANESE[1]),
        (JAPANESE, "田中さんのアレルギーは何？", JAPANESE[2]),
        (JAPANESE, "会議、何曜日だっけ", JAPANESE[0]),
    ],
)
async def test_chinese_and_japanese_are_found_by_character_pairs(opened, agent, contents, question, answer):
    async with opened() as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=each, occurred_at=AT) for each in contents])
        assert (await by_words(layer, agent, question))[0] == answer


async def test_question_at_the_end_of_a_long_chinese_message_is_found(opened, agent):
    small_talk = (
        "今天天气真好，适合出去散步，想起上次在图书馆遇见的老朋友，也不知道最近过得怎么样，周末打算一起去爬山野餐。"
    )
    answer = "我的舅妈在青岛当工程师。"
    async with opened() as layer:
        memories = [NewMemory(type="fact", content=each, occurred_at=AT) for each in (*CHINESE, answer)]
        await layer.remember(agent, memories)
        assert (await by_words(layer, agent, f"{small_talk}对了，舅妈是做什么工作的？"))[0] == answer
