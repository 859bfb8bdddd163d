"""Input from the caller is validated completely first, refused with the name of the field, and frozen."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.input_model import MAX_KEYS
from brain.types import MAX_CONTENT_LENGTH, MAX_LABEL_LENGTH, MAX_LABELS, MAX_METADATA_BYTES, MEMORY_TYPES
from cognitive import CognitiveError, Message, NewMemory, Outcome, Policy, Tool, ToolCall, Turn, TurnRef
from cognitive.errors import InvalidInput
from cognitive.turn import MAX_ATTACHMENTS, MAX_MESSAGE_LENGTH, MAX_RATED, MAX_TOOL_CALLS
from cognitive.validation import require_label

pytestmark = pytest.mark.promise(number=8)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NAIVE = datetime(2026, 9, 1, 12)  # noqa: DTZ001
NUL, LONE = "a\x00b", "a\ud800b"

VALID = {
    NewMemory: {"type": "fact", "content": "Tea is served at noon."},
    Turn: {"agent_id": "a", "session_id": "s", "text": "Hello"},
    Outcome: {"response": "Done."},
    Message: {"role": "user", "content": "Hello"},
    Tool: {"name": "search"},
    ToolCall: {"name": "search"},
}
BAD = [
    (NewMemory, "type", "opinion"),
    (NewMemory, "type", None),
    (NewMemory, "content", ""),
    (NewMemory, "content", " \n\t"),
    (NewMemory, "content", NUL),
    (NewMemory, "content", LONE),
    (NewMemory, "content", None),
    (NewMemory, "content", b"\xff"),
    (NewMemory, "content", "x" * (MAX_CONTENT_LENGTH + 1)),
    (NewMemory, "speaker", " "),
    (NewMemory, "speaker", NUL),
    (NewMemory, "speaker", "x" * (MAX_LABEL_LENGTH + 1)),
    (NewMemory, "context", LONE),
    (NewMemory, "context", "x" * (MAX_CONTENT_LENGTH + 1)),
    (NewMemory, "occurred_at", NAIVE),
    (NewMemory, "occurred_at", "yesterday"),
    (NewMemory, "session_id", ""),
    (NewMemory, "source", NUL),
    (NewMemory, "tags", [""]),
    (NewMemory, "tags", [NUL]),
    (NewMemory, "tags", ["x"] * (MAX_LABELS + 1)),
    (NewMemory, "entities", ["x"] * (MAX_LABELS + 1)),
    (NewMemory, "tags", 3),
    (NewMemory, "entities", [" "]),
    (NewMemory, "confidence", 1.01),
    (NewMemory, "confidence", -0.01),
    (NewMemory, "confidence", float("nan")),
    (NewMemory, "confidence", "high"),
    (NewMemory, "pinned", "perhaps"),
    (NewMemory, "supersedes", "not-an-id"),
    (NewMemory, "attributes", {"subject": ""}),
    (NewMemory, "attributes", {"colour": "red"}),
    (NewMemory, "attributes", {"subject": NUL}),
    (NewMemory, "attributes", 3),
    (Turn, "agent_id", ""),
    (Turn, "agent_id", " "),
    (Turn, "agent_id", None),
    (Turn, "agent_id", NUL),
    (Turn, "agent_id", 7),
    (Turn, "agent_id", "x" * (MAX_LABEL_LENGTH + 1)),
    (Turn, "session_id", LONE),
    (Turn, "text", NUL),
    (Turn, "text", LONE),
    (Turn, "text", 5),
    (Turn, "text", "x" * (MAX_MESSAGE_LENGTH + 1)),
    (Turn, "now", NAIVE),
    (Turn, "kind", "robot"),
    (Turn, "turn_id", " "),
    (Turn, "iteration", -1),
    (Turn, "user_id", ""),
    (Turn, "thinking", ""),
    (Turn, "plan_step", NUL),
    (Turn, "conversation", "hello"),
    (Turn, "conversation", [3]),
    (Turn, "attachments", [1] * (MAX_ATTACHMENTS + 1)),
    (Outcome, "response", LONE),
    (Outcome, "status", "fine"),
    (Outcome, "citations", ["x"]),
    (Outcome, "citations", [uuid4()] * (MAX_RATED + 1)),
    (Outcome, "ratings", {uuid4(): True for _ in range(MAX_RATED + 1)}),
    (Outcome, "ratings", {"x": True}),
    (Outcome, "ratings", {uuid4(): "perhaps"}),
    (Outcome, "tool_calls", [3]),
    (Outcome, "tool_calls", [{"name": "search"}] * (MAX_TOOL_CALLS + 1)),
    (Message, "role", "robot"),
    (Message, "content", NUL),
    (Message, "at", NAIVE),
    (Message, "kind", " "),
    (Message, "tool_calls", [{"name": "search"}] * (MAX_TOOL_CALLS + 1)),
    (Tool, "name", ""),
    (Tool, "description", NUL),
    (Tool, "parameters", []),
    (Tool, "intent_keywords", ["x"] * (MAX_LABELS + 1)),
    (Tool, "steps", [{}] * (MAX_LABELS + 1)),
    (ToolCall, "name", NUL),
    (ToolCall, "arguments", "x"),
    (ToolCall, "id", ""),
]


MESSAGES = [  # what pydantic says is not what a newcomer needs
    (lambda: NewMemory("fact", "x"), "NewMemory: name the fields: NewMemory(type=…, content=…)"),
    (
        lambda: Turn(agent_id="a" * (MAX_LABEL_LENGTH + 1), session_id="s", text="x"),
        f"Turn: agent_id: has {MAX_LABEL_LENGTH + 1} characters; at most {MAX_LABEL_LENGTH} are allowed",
    ),
    (lambda: Outcome("Done."), "Outcome: name the fields: Outcome(response=…)"),
    (lambda: NewMemory(type="fact", content="x", user="ann"), "NewMemory: user: unknown field; did you mean user_id?"),
    (
        lambda: NewMemory(type="fact", content="x", zebra=1),
        f"NewMemory: zebra: unknown field; known fields: {', '.join(NewMemory.model_fields)}",
    ),
    (lambda: NewMemory(type="fact", content="x", tags="tax"), 'NewMemory: tags: expected a list, such as ["…"]'),
    (
        lambda: NewMemory(type="fact", content="x", occurred_at=NAIVE),
        "NewMemory: occurred_at: has no time zone; write 2026-11-02T00:00:00Z, or datetime.now(UTC)",
    ),
    (lambda: Policy(captur="off"), "Policy: captur: unknown field; did you mean capture?"),
    (lambda: Policy(evidence={"treshold": 1}), "Policy: evidence.treshold: unknown field; did you mean threshold?"),
]


@pytest.mark.parametrize(("make", "message"), MESSAGES, ids=[message for _, message in MESSAGES])
def test_wrong_fields_say_what_to_write(make, message):
    with pytest.raises((InvalidInput, TypeError)) as raised:
        make()
    assert str(raised.value) == message


NESTED = {"conversation": "Message", "tool_calls": "ToolCall"}  # an error in a nested value names the nested type


def short(value) -> str:
    """Return a short test id for an invalid value."""
    return ascii(value) if len(repr(value)) < 30 else type(value).__name__


@pytest.mark.parametrize(
    ("value", "field", "bad"), [pytest.param(*row, id=f"{row[0].__name__}.{row[1]}={short(row[2])}") for row in BAD]
)
def test_invalid_value_raises_an_error_that_names_its_field(value, field, bad):
    with pytest.raises(InvalidInput, match=rf"{field}|{NESTED.get(field, field)}") as caught:
        value(**{**VALID[value], field: bad})
    assert isinstance(caught.value, CognitiveError)
    assert len(str(caught.value)) < 1_000  # the message must not repeat a megabyte of input


@pytest.mark.parametrize("value", VALID, ids=lambda value: value.__name__)
def test_required_fields_suffice_and_unknown_keys_are_errors(value):
    value(**VALID[value])
    with pytest.raises(InvalidInput, match="colour"):
        value(**VALID[value], colour="red")


@pytest.mark.parametrize("value", VALID, ids=lambda value: value.__name__)
def test_value_with_very_many_keys_is_refused_before_they_are_read(value):
    with pytest.raises(InvalidInput, match=rf"{value.__name__}: has \d+ keys; at most {MAX_KEYS} "):
        value(**VALID[value], **{f"key{n}": n for n in range(MAX_KEYS)})


@pytest.mark.parametrize(
    ("value", "field"),
    [(NewMemory, "tags"), (NewMemory, "entities"), (Outcome, "citations"), (Tool, "limitations"), (Tool, "steps")],
)
def test_list_is_read_up_to_its_first_wrong_item(value, field):
    with pytest.raises(InvalidInput) as caught:
        value(**{**VALID[value], field: [3, 3]})
    assert f"{field}.0" in str(caught.value)
    assert f"{field}.1" not in str(caught.value)


def test_size_of_metadata_is_checked_before_its_texts():
    with pytest.raises(InvalidInput, match=f"larger than {MAX_METADATA_BYTES} bytes"):
        NewMemory(type="fact", content="x", metadata={"text": NUL + LONE + "x" * MAX_METADATA_BYTES})


@pytest.mark.parametrize(
    ("value", "needed"),
    [
        (NewMemory, "type"),
        (NewMemory, "content"),
        (Turn, "agent_id"),
        (Turn, "session_id"),
        (Turn, "text"),
        (Message, "role"),
        (Tool, "name"),
        (ToolCall, "name"),
    ],
)
def test_missing_field_is_named(value, needed):
    with pytest.raises(InvalidInput, match=needed):
        value(**{name: field for name, field in VALID[value].items() if name != needed})


@pytest.mark.parametrize("value", VALID, ids=lambda value: value.__name__)
def test_values_are_frozen_and_compare_by_content(value):
    one = value(**VALID[value])
    field = next(iter(VALID[value]))
    with pytest.raises((CognitiveError, ValueError, AttributeError)):
        setattr(one, field, "other")
    assert one == value(**VALID[value])


def test_message_that_only_calls_tools_has_empty_content():
    call = ToolCall(name="search", arguments={"q": "tea"}, id="1")
    assert Message(role="assistant", content=None, tool_calls=[call]).content == ""
    assert Outcome(response=None).response == ""
    assert Turn(agent_id="a", session_id="s", text=None).text == ""


def test_messages_can_be_plain_mappings():
    turn = Turn(agent_id="a", session_id="s", text="x", conversation=[{"role": "user", "content": "Hi"}])
    assert turn.conversation == (Message(role="user", content="Hi"),)
    with pytest.raises(InvalidInput, match="content"):
        Turn(agent_id="a", session_id="s", text="x", conversation=[{"role": "user", "content": NUL}])


def test_changing_the_list_of_the_caller_does_not_change_the_turn():
    messages = [Message(role="user", content="Hi")]
    turn = Turn(agent_id="a", session_id="s", text="x", conversation=messages)
    messages.clear()
    assert len(turn.conversation) == 1


ATTRIBUTES = {
    "decision": {"outcome": "success", "rationale": "cheaper", "stakes": "low", "category": "tooling"},
    "fact": {"subject": "Ines", "category": "person"},
    "procedure": {"name": "release", "domain": "ops"},
    "episode": {"title": "The outage", "outcome": "fixed"},
}


@pytest.mark.parametrize("type_", MEMORY_TYPES)
def test_each_memory_type_accepts_its_attributes(type_):
    memory = NewMemory(type=type_, content="x", attributes=ATTRIBUTES[type_])
    assert dict(memory.attributes) == ATTRIBUTES[type_]
    for name in ATTRIBUTES[type_]:
        assert dict(NewMemory(type=type_, content="x", attributes={name: None}).attributes) == {}


@pytest.mark.parametrize("type_", MEMORY_TYPES)
def test_attribute_of_another_type_is_refused_with_both_names(type_):
    foreign = next(name for other in MEMORY_TYPES for name in ATTRIBUTES[other] if name not in ATTRIBUTES[type_])
    with pytest.raises(InvalidInput, match=rf"(?s){type_}.*{foreign}"):
        NewMemory(type=type_, content="x", attributes={foreign: "x"})


@pytest.mark.parametrize(("name", "bad"), [("outcome", "maybe"), ("stakes", "huge")])
def test_attribute_outside_its_allowed_values_is_refused(name, bad):
    with pytest.raises(InvalidInput, match=name):
        NewMemory(type="decision", content="x", attributes={name: bad})


@pytest.mark.parametrize("bad", ["", "  ", None, 3, NUL, LONE, "x" * (MAX_LABEL_LENGTH + 1)], ids=short)
@pytest.mark.parametrize("field", ["agent_id", "turn_id"])
def test_invalid_turn_reference_or_label_is_refused(field, bad):
    with pytest.raises(InvalidInput, match=field):
        TurnRef(**{"agent_id": "a", "turn_id": "t", field: bad})
    with pytest.raises(InvalidInput, match="query"):
        require_label("query", bad)


def test_turn_reference_is_frozen_and_compares_by_value():
    reference = TurnRef("a", "t")
    assert reference == TurnRef(agent_id="a", turn_id="t")
    with pytest.raises(AttributeError):
        reference.turn_id = "u"  # type: ignore[misc]


def test_values_of_the_maximum_length_are_accepted():
    assert len(NewMemory(type="fact", content="x" * MAX_CONTENT_LENGTH).content) == MAX_CONTENT_LENGTH
    assert len(Turn(agent_id="a" * MAX_LABEL_LENGTH, session_id="s", text="").agent_id) == MAX_LABEL_LENGTH


def test_times_keep_their_zone_and_texts_are_unchanged():
    memory = NewMemory(type="fact", content="  Zoë\u200b\r\n👩‍💻  ", occurred_at="2026-09-01T12:00:00+09:00")
    assert memory.content == "  Zoë\u200b\r\n👩‍💻  "
    assert memory.occurred_at is not None
    assert memory.occurred_at.utcoffset() is not None


NAMES = st.sampled_from([*NewMemory.model_fields, "x"])


@given(st.dictionaries(NAMES, st.none() | st.text(max_size=3) | st.integers()))
@settings(max_examples=60)
def test_any_input_gives_a_memory_or_invalid_input(fields):
    try:
        memory = NewMemory(**fields)
    except InvalidInput:
        return
    assert memory.content.strip()
