"""Artifacts: stored once and unchanged, read by pages, and searched by lines."""

from __future__ import annotations

import asyncio
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.artifacts import CHUNK_CHARS, Artifacts, NewArtifact
from brain.postgres.database import Database
from brain.users import Scope
from cognitive import NewMemory
from cognitive.errors import InvalidInput

HARD = "a\x00b\ud800c\udfffd\ue000e\U0001f600\U000f0000 Zürich 東京"


@pytest.fixture
async def artifacts(urls):
    database = Database(urls.app, pool_size=4)
    yield Artifacts(database)
    await database.close()


def output(content: str) -> NewArtifact:
    return NewArtifact(uuid5(NAMESPACE_OID, content.encode("utf-8", "surrogatepass").hex()), content, "bash", "bash")


async def put(artifacts: Artifacts, agent: str, content: str) -> UUID:
    new = output(content)
    assert await artifacts.put(Scope(agent), "s", [new])
    return new.id


async def whole(artifacts: Artifacts, agent: str, id: UUID, length: int = CHUNK_CHARS) -> str:
    text, start = "", 0
    while start is not None:
        page = await artifacts.read(Scope(agent), id, start, length)
        text, start = text + page.text, page.next
    return text


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="nothing"),
        pytest.param("x" * CHUNK_CHARS, id="one piece"),
        pytest.param("é東\U0001f600" * CHUNK_CHARS, id="three pieces of several bytes a character"),
        pytest.param(HARD, id="what Postgres cannot keep"),
        pytest.param("\x00" * (CHUNK_CHARS + 1), id="nothing else"),
        pytest.param("".join(map(chr, range(0xD800, 0xE000))) + "\x00", id="every surrogate"),
        pytest.param("".join(map(chr, range(0xE000, 0xF900))) + "\x00", id="every stand-in of the first range"),
    ],
)
async def test_artifact_pages_concatenate_to_the_original(artifacts, agent, content):
    id = await put(artifacts, agent, content)
    assert await whole(artifacts, agent, id) == content
    assert (await artifacts.read(Scope(agent), id, 0, 10)).artifact.characters == len(content)


async def test_artifact_page_equals_the_slice_of_the_original(artifacts, agent):
    content = (HARD + "\n") * 4_000
    id = await put(artifacts, agent, content)

    @settings(max_examples=40)
    @given(st.integers(0, len(content) + CHUNK_CHARS), st.integers(1, 2 * CHUNK_CHARS))
    def check(start, length):
        pages.append((start, length))

    pages: list[tuple[int, int]] = [(CHUNK_CHARS - 1, 1), (CHUNK_CHARS, 1), (len(content) - 1, 1), (len(content), 5)]
    check()
    for start, length in pages:
        page = await artifacts.read(Scope(agent), id, start, length)
        assert page.text == content[start : start + length], (start, length)


async def test_repeated_and_concurrent_puts_store_an_artifact_once(artifacts, agent):
    new = [output(f"line {n}\n" * 100) for n in range(5)]
    await asyncio.gather(*(artifacts.put(Scope(agent), "s", new[n % 3 :]) for n in range(12)))
    assert await artifacts.put(Scope(agent), "s", [*new, *new])
    kept = await artifacts.list_by_session(Scope(agent), "s")
    assert sorted(each.id for each in kept) == sorted(each.id for each in new)
    assert {each.tool for each in kept} == {"bash"}
    assert await whole(artifacts, agent, new[4].id) == new[4].content


async def test_fifty_megabytes_are_paged_and_searched(artifacts, agent):
    line = "2026-11-02 09:00:00 INFO request served in 12 ms by worker 7 of pool main, cache hit\n"
    content = line * 300_000 + "ERROR the disk is full\n" + line * 300_000
    id = await put(artifacts, agent, content)
    assert len(content) > 50_000_000
    [found] = await artifacts.search(Scope(agent), id, "ERROR", 10)
    assert (found.number, found.text) == (300_001, "ERROR the disk is full")
    page = await artifacts.read(Scope(agent), id, found.start, 100)
    assert page.text.startswith("ERROR the disk is full\n2026")
    assert (await artifacts.read(Scope(agent), id, len(content) - 4, 100)).text == "hit\n"


async def test_artifact_search_returns_numbers_texts_and_offsets_of_lines(artifacts, agent):
    content = "\n".join(f"{n}: {'needle' if n % 1000 == 0 else 'hay'} {HARD}" for n in range(1, 6001))
    id = await put(artifacts, agent, content)
    found = await artifacts.search(Scope(agent), id, "needle", 50)
    lines = content.split("\n")
    assert [line.number for line in found] == [1000, 2000, 3000, 4000, 5000, 6000]
    assert [line.text for line in found] == [lines[line.number - 1] for line in found]
    assert all(content.startswith("needle", line.start) for line in found)
    assert found[:2] == await artifacts.search(Scope(agent), id, "needle", 2)


async def test_literal_search_spans_chunks_and_matches_special_characters(artifacts, agent):
    content = "x" * (CHUNK_CHARS - 3) + "needle\x00" + "y" * CHUNK_CHARS + "100%_[a-z]*"
    id = await put(artifacts, agent, content)
    for literal in ("needle", "\x00y", "100%_[a-z]*"):
        [line] = await artifacts.search(Scope(agent), id, literal, 5)
        assert (line.number, line.start) == (1, content.index(literal))
    assert await artifacts.search(Scope(agent), id, "Needle", 5) == ()
    assert await artifacts.search(Scope(agent), id, "\ud800", 5) == ()
    assert await artifacts.search(Scope(agent), id, "", 5) == ()
    with pytest.raises(InvalidInput, match="literal"):
        await artifacts.search(Scope(agent), id, "a\nb", 5)


async def test_late_output_is_stored_only_for_a_recorded_turn(artifacts, agent):
    """Output that arrives after an erasure must not restore the text."""
    assert not await artifacts.put(Scope(agent), "s", [output("late")], turn_id="gone", only_of_turn=True)
    assert await artifacts.list_by_session(Scope(agent), "s") == ()


async def test_layer_checks_page_arguments_and_hides_artifacts_of_others(layer, artifacts, agent):
    id = await put(artifacts, agent, "one\ntwo\n")
    page = await layer.artifact(agent, id, start=4)
    assert (page.text, page.next, page.artifact.characters) == ("two\n", None, 8)
    assert [line.number for line in await layer.sessions.search_artifact(agent, id, "two")] == [2]
    assert [each.id for each in await layer.sessions.artifacts(agent, "s")] == [id]
    for call in (
        lambda: layer.artifact(agent, uuid4()),
        lambda: layer.artifact(f"{agent}-other", id),
        lambda: layer.artifact(agent, id, start=-1),
        lambda: layer.artifact(agent, id, length=0),
        lambda: layer.sessions.search_artifact(f"{agent}-other", id, "two"),
        lambda: layer.sessions.search_artifact(agent, id, "two", limit=0),
    ):
        with pytest.raises(InvalidInput):
            await call()
    assert await layer.sessions.artifacts(f"{agent}-other", "s") == ()


async def test_artifacts_are_deleted_with_their_session_or_agent(layer, artifacts, agent):
    id = await put(artifacts, agent, "text")
    other = output("other")
    await artifacts.put(Scope(agent), "t", [other])
    await layer.work.begin(agent, "s", "Read the log")
    cleared = await layer.sessions.clear(agent, "s")
    assert (cleared.artifacts, cleared.subtasks) == (1, 1)
    assert await artifacts.read(Scope(agent), id, 0, 10) is None
    receipt = await layer.erase_agent(agent)
    assert (receipt.artifacts, receipt.subtasks) == (1, 0)
    assert await artifacts.read(Scope(agent), other.id, 0, 10) is None
    assert await artifacts.delete(Scope(agent), [other.id]) == 0


async def test_text_at_the_end_of_a_chunk_is_erased_with_its_artifact(layer, artifacts, agent):
    erased = "The vault opens with tangerine-seventeen"
    beginnings = [erased[:n] for n in (1, 12, len("The vault opens with "), len(erased) - 4)]
    contents = [" " * (CHUNK_CHARS - len(beginning)) + erased + " again" * 1_000 for beginning in beginnings]
    ids = [await put(artifacts, agent, content) for content in [*contents, "The vault is open. " * 4_000]]
    [memory] = await layer.remember(agent, [NewMemory(type="fact", content=erased)])
    assert (await layer.forget(agent, [memory])).artifacts == len(contents)
    assert [each.id for each in await artifacts.list_by_session(Scope(agent), "s")] == ids[-1:]
