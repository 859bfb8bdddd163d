"""Wrong arguments of the layer's methods: the error says what to pass, and nothing is stored."""

from __future__ import annotations

from uuid import uuid4

import pytest

from cognitive import Blocking, CognitiveLayer, Message, NewMemory, Outcome, Turn
from cognitive.errors import InvalidInput, StoreUnavailable
from cognitive.validation import called_as

MEMORY = NewMemory(type="fact", content="The key hangs behind the barometer.")
ID = uuid4()

CALLS = {
    "a text as turn": (lambda layer, agent: layer.pre_turn("hello"), "turn: got str 'hello'; pass Turn(agent_id=\"…\""),
    "an agent id as turn": (lambda layer, agent: layer.pre_turn(None), "turn: got NoneType None; pass Turn("),
    "one memory": (
        lambda layer, agent: layer.remember(agent, MEMORY),
        "memories: expected a list of NewMemory values, got NewMemory",
    ),
    "a text as memories": (
        lambda layer, agent: layer.remember(agent, "The key hangs there."),
        "memories: expected a list of NewMemory values, got str 'The key hangs there.'; pass [NewMemory, …]",
    ),
    "texts as memories": (
        lambda layer, agent: layer.remember(agent, ["The key hangs there."]),
        "memories: got str 'The key hangs there.'; pass NewMemory(type=\"fact\"",
    ),
    "one id to read": (lambda layer, agent: layer.get(agent, ID), "ids: expected a list of ids, got UUID"),
    "one id to forget": (lambda layer, agent: layer.forget(agent, ID), "ids: expected a list of ids, got UUID"),
    "an id as text to retire": (
        lambda layer, agent: layer.retire(agent, str(ID)),
        "ids: expected a list of ids, got str",
    ),
    "one tag": (
        lambda layer, agent: layer.recall(agent, "key", tags="keys"),
        "tags: expected a list of texts, got str 'keys'",
    ),
    "a response as outcome": (
        lambda layer, agent: _after(layer, agent, "Behind the barometer."),
        "outcome: got str 'Behind the barometer.'; pass Outcome(response=\"…\")",
    ),
    "an id as context": (
        lambda layer, agent: layer.post_turn("turn-1", Outcome()),
        "context: got str 'turn-1'; pass the result of pre_turn, or TurnRef(agent_id, turn_id)",
    ),
    "one message to fit": (
        lambda layer, agent: _fitted(layer, agent, Message(role="user", content="Hi.")),
        "conversation: expected a list of Message values, got Message",
    ),
    "dicts to fit": (
        lambda layer, agent: _fitted(layer, agent, [{"role": "user", "content": "Hi."}]),
        "conversation: got dict",
    ),
    "nothing as conversation": (
        lambda layer, agent: layer.remember_conversation(agent, None),
        "messages: expected a list of Message values, got NoneType None; pass [Message, …]",
    ),
    "a number as plan": (
        lambda layer, agent: layer.work.plan(agent, "s", 5),
        "steps: expected a list of texts, got int 5",
    ),
    "bytes to find in an artifact": (
        lambda layer, agent: layer.sessions.search_artifact(agent, ID, b"key"),
        "literal: got bytes b'key'; pass a text of one line",
    ),
    "nothing as changes of a policy": (
        lambda layer, agent: layer.policies.save(agent, None, by="ann"),
        "changes: expected a mapping of settings to values, got NoneType",
    ),
    "a number as turns": (
        lambda layer, agent: layer.explain.evaluation_cases(agent, 5),
        "turn_ids: expected a list of texts, got int 5",
    ),
    "a user beside the memories": (
        lambda layer, agent: layer.remember(agent, [MEMORY], user_id="ann"),
        "remember: got an unexpected keyword argument 'user_id'; call remember(agent_id, [NewMemory(type=\"fact\"",
    ),
    "fields of a turn": (
        lambda layer, agent: layer.pre_turn(agent_id=agent, text="Where?"),
        "pre_turn: missing a required argument: 'turn'; call pre_turn(Turn(agent_id=\"…\"",
    ),
    "another name of the limit": (
        lambda layer, agent: layer.recall(agent, "key", top_k=3),
        "recall: got an unexpected keyword argument 'top_k'; call recall(agent_id, \"…\", limit=10",
    ),
}


async def _after(layer, agent, outcome):
    await layer.post_turn(await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Where?")), outcome)


async def _fitted(layer, agent, conversation):
    await layer.fit(await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Where?")), conversation)


@pytest.mark.parametrize(("call", "message"), CALLS.values(), ids=CALLS)
async def test_wrong_argument_raises_an_error_that_says_what_to_pass(layer, agent, call, message):
    with pytest.raises(InvalidInput) as raised:
        await call(layer, agent)
    assert message in str(raised.value)
    assert await layer.admin.find(agent) == []


async def test_any_sequence_of_memories_and_ids_is_accepted(layer, agent):
    ids = await layer.remember(agent, (MEMORY,))
    assert len(await layer.get(agent, {ids[0]: "a dict's keys"}.keys())) == 1
    assert (await layer.forget(agent, set(ids))).memories == 1


async def test_layer_that_is_not_entered_says_what_to_write():
    opening = CognitiveLayer.open()
    with pytest.raises(TypeError, match=r"write `async with CognitiveLayer.open\(\) as layer:`; to keep it open"):
        await opening
    with pytest.raises(TypeError, match=r"or `with Blocking.open\(\) as layer:` in synchronous code"):
        opening.__enter__()
    with pytest.raises(AttributeError, match=r"'recall': it is not open yet; write `async with"):
        await opening.recall("agent", "key")
    with pytest.raises(AttributeError, match=r"or `layer = Blocking.start\(\)`"):
        Blocking.open().recall("agent", "key")
    with pytest.raises(TypeError, match=r"write `with Blocking.open\(\) as layer:`"):
        async with Blocking.open():
            pass
    with pytest.raises(TypeError, match=r"write `async with CognitiveLayer.open\(\) as layer:`"):
        CognitiveLayer()


async def test_closed_layer_and_wrong_options_say_what_to_write(urls, agent, monkeypatch, caplog):
    for policy in ("policy.toml", {"capture": "off"}):
        with pytest.raises(InvalidInput, match=r"policy: got (str|dict) .*; pass Policy\(…\), or Policy.load\(file\)"):
            async with CognitiveLayer.open(urls.app, policy=policy):
                pass
    monkeypatch.setenv("COGNITIVE_DATABSE_URL", urls.app)
    async with CognitiveLayer.open(urls.app) as layer:
        assert "no setting is called COGNITIVE_DATABSE_URL; did you mean COGNITIVE_DATABASE_URL?" in caplog.text
    for call in (layer.remember(agent, [MEMORY]), layer.recall(agent, "key"), layer.explain.turns(agent)):
        with pytest.raises(StoreUnavailable, match="the layer is closed; call it inside its `with` block"):
            await call


async def test_type_error_inside_a_method_is_not_taken_for_a_wrong_argument():
    @called_as("broken(number)")
    async def broken(number: int) -> None:
        raise TypeError("of the method itself")

    with pytest.raises(TypeError, match=r"^of the method itself$"):
        await broken(1)
