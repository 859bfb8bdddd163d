"""Files of other systems become memories, whatever the layout of their JSON is."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.api.jsonl import ConversationLine, DroppedLine, ImportLine, read
from cognitive.errors import InvalidInput
from cognitive.formats.records import AT_ONCE, TextFile

FILES = Path(__file__).parent.parent / "data" / "imports"


def imported(name):
    return [each for each in read(TextFile(FILES / name)) if isinstance(each, ImportLine)]


def dropped(text):
    return [each.reason for each in read(text) if isinstance(each, DroppedLine)]


def contents(text):
    return [each.memory.content for each in read(text) if isinstance(each, ImportLine)]


def mem0(number, **fields):
    return {"id": str(number), "memory": f"Memory {number}", "user_id": "ada", **fields}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mem0.json", ["Likes green tea", "Works nights at the harbour", "Speaks Dutch", "Speaks Dutch"]),
        (
            "zep.json",
            [
                "Ada works at the harbour office.",
                "Ada lives in Ghent.",
                "Ada: Plans the berths of the harbour.",
                "I work at the harbour office now.",
            ],
        ),
        (
            "letta.json",
            [
                "The ferry takes berth 4 on Mondays.",
                "The user is called Ada and plans berths.",
                "Berth 7 is closed until the crane is repaired.",
            ],
        ),
        ("hindsight.json", ["Ada works at the harbour as a planner", "I recommended berth 4 for the ferry"]),
        ("langgraph.jsonl", ["Works nights", "Bob likes coffee", "name: Bob\nlanguages: Dutch, English"]),
    ],
)
def test_texts_of_other_systems_are_read(name, expected):
    assert [each.memory.content for each in imported(name)] == expected


def test_mem0_keeps_users_metadata_and_times():
    first, second, *_ = imported("mem0.json")
    assert [each.user_id for each in imported("mem0.json")] == ["ada", "bob", "cem", "cem"]
    assert first.memory.metadata == {"category": "food", "priority": 3}
    assert first.memory.tags == ("food", "drinks")
    assert (second.memory.session_id, second.memory.speaker) == ("trip-1", "Bob")
    assert second.memory.occurred_at.isoformat() == "2026-08-03T10:00:00-07:00"
    assert second.memory.expires_at.isoformat() == "2026-12-31T00:00:00+00:00"


def test_fact_that_zep_ended_expires_then():
    works, lived, ada, episode = imported("zep.json")
    assert (works.memory.expires_at, works.memory.entities) == (None, ("Ada", "Harbour office"))
    assert lived.memory.expires_at.isoformat() == "2026-03-01T00:00:00+00:00"
    assert ada.memory.entities == ("Ada",)
    assert (episode.memory.type, episode.memory.speaker, episode.memory.session_id) == ("episode", "Ada", "thread-7")


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("chatgpt", ["Our ferry takes berth 4 on Mondays.", "Then berth 4 is taken on Mondays."]),
        ("claude", ["The crane on berth 7 is broken.", "Berth 7 is closed until it is repaired."]),
    ],
)
def test_messages_of_conversations_keep_their_order_time_and_session(system, expected):
    text = TextFile(FILES / f"{system}.json")
    [talk] = [each.conversation for each in read(text) if isinstance(each, ConversationLine)]
    assert talk.session_id == f"{system}/c-1"
    assert [(each.role, each.content) for each in talk.messages] == list(
        zip(("user", "assistant"), expected, strict=True)
    )
    assert talk.messages[0].at < talk.messages[1].at


def test_conversation_without_messages_is_left_out():
    blank = {"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": " \x00"}]}
    assert [type(each) for each in read([json.dumps(blank)])] == [DroppedLine]


def test_what_is_not_imported_is_named():
    assert dropped(TextFile(FILES / "chatgpt.json")) == [
        "a message that was edited away",
        "a message of a tool or the system",
        "a message of a tool or the system",
    ]
    assert dropped(TextFile(FILES / "mem0.json")) == ["a record without text", "a relation of mem0's graph"]
    many = json.dumps(mem0(1, categories=[f"tag {n}" for n in range(200)], metadata={"a": "x" * 20_000}))
    assert [reason.split(",")[0] for reason in dropped([many])] == ["tags above 100", "metadata that cannot be stored"]
    assert contents([many]) == ["Memory 1"]
    assert dropped([json.dumps(mem0(2, memory="x" * 2_000_000))])[0].startswith("a record that cannot be stored: ")


RECORDS = [mem0(number) for number in range(5)]
LAYOUTS = {
    "lines": "\n".join(map(json.dumps, RECORDS)),
    "indented lines": "\n".join(json.dumps(each, indent=2) for each in RECORDS),
    "list": json.dumps(RECORDS),
    "indented list": json.dumps(RECORDS, indent=4),
    "results": json.dumps({"results": RECORDS, "relations": []}, indent=2),
    "page": json.dumps({"count": 5, "next": None, "results": RECORDS}),
    "pages": json.dumps([{"results": RECORDS[:3]}, {"results": RECORDS[3:]}, {"results": []}]),
    "lists in a list": json.dumps([RECORDS[:3], RECORDS[3:]], indent=1),
    "by user": json.dumps({"ada": {"results": RECORDS[:3]}, "bob": RECORDS[3:]}, indent=2),
    "by id": json.dumps({"memories": {each["id"]: each for each in RECORDS}}),
    "without line breaks": "".join(map(json.dumps, RECORDS)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_every_layout_is_read(layout, size):
    text = io.StringIO(LAYOUTS[layout])
    assert contents(iter(lambda: text.read(size), "")) == [each["memory"] for each in RECORDS]


def test_user_around_the_records_is_theirs():
    pages = [{"user_id": name, "results": [{"id": name, "memory": "x"}]} for name in ("ada", "bob")]
    assert [each.user_id for each in read([json.dumps(pages)])] == ["ada", "bob"]


@given(st.lists(st.text(max_size=30), max_size=5), st.integers(1, 50), st.sampled_from([None, 0, 3]))
def test_any_text_survives_any_layout(texts, size, indent):
    documents = io.StringIO(
        json.dumps({"results": [mem0(n, memory=f"x {t}") for n, t in enumerate(texts)]}, indent=indent)
    )
    found = contents(iter(lambda: documents.read(size), ""))
    assert [each.split()[:1] for each in found] == [["x"]] * len(texts)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"results": [\n{"id": "1", "memory": "x"},\n{"colour": "red"}\n]}', 3),
        ('{"results": [\n{"id": "1", "memory": "x"},\n{"id": "2", "memory": }\n]}', 3),
        ('[\n{"id": "1", "memory": "x"}\n', 1),
        ('{"id": "1", "memory": "x"}\n\n7\n', 3),
        ('{"id": "1", "memory": "x"}\n' + "[" * 5_000, 2),
        ('{"form": "cognitive-memory-99"}', 1),
    ],
)
def test_line_of_an_invalid_record_is_named(text, line):
    with pytest.raises(InvalidInput, match=f"line {line}: "):
        list(read([text]))


def test_large_document_is_read_record_by_record(tmp_path):
    file = tmp_path / "large.json"
    with file.open("w") as out:
        out.write('{"results": [\n')
        for number in range(8_000):
            out.write(json.dumps(mem0(number, metadata={"note": "x" * 1_200})) + (",\n" if number < 7_999 else "\n"))
        out.write("]}\n")
    assert file.stat().st_size > 8 * AT_ONCE
    tracemalloc.start()
    assert sum(isinstance(each, ImportLine) for each in read(TextFile(file))) == 8_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * AT_ONCE


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (json.dumps({"results": [mem0(1), mem0(2), {"form": "none"}]}), "^line 1, record 3: "),
        (f"{json.dumps(mem0(1))}\n{json.dumps({'form': 'none'})}", "^line 2: "),
        (
            '{"results": [{"id": "1" "memory": "x"}]}',
            r"^line 1: not JSON: Expecting ',' delimiter, near '.*\"1\" \"memory",
        ),
    ],
)
def test_error_of_a_record_names_its_place(text, place):
    with pytest.raises(InvalidInput, match=place):
        list(read([text]))
