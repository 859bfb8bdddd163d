"""Promise P4: every public method treats another agent's ids as unknown."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from cognitive import Message, NewMemory, Outcome, Policy, ToolCall, Turn, TurnRef
from cognitive.errors import CognitiveError
from tests.internals import internals

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
SECRET = "The canary sings at 05:17 in the boiler room."
LONG = "\n".join(f"{SECRET} Line {n} of the log." for n in range(2_000))

# Every public method that takes the id of a memory, turn, session, artifact or subtask.
ASKED = {
    "get": lambda layer, agent, had: layer.get(agent, [had["memory"]]),
    "find_by_source": lambda layer, agent, had: layer.admin.find_by_source(agent, "fact", [had["source"]]),
    "find_by_tags": lambda layer, agent, had: layer.admin.find_by_tags(agent, [had["tag"]]),
    "update": lambda layer, agent, had: layer.update(agent, had["memory"], content="stolen"),
    "forget": lambda layer, agent, had: layer.forget(agent, [had["memory"]]),
    "supersede": lambda layer, agent, had: layer.remember(
        agent, [NewMemory(type="fact", content="stolen", occurred_at=AT, supersedes=had["memory"])]
    ),
    "rate": lambda layer, agent, had: layer.rate(agent, had["turn"], had["memory"], useful=True),
    "recall in a turn": lambda layer, agent, had: layer.recall(agent, "canary", turn_id=had["turn"]),
    "recall in a session": lambda layer, agent, had: layer.recall(agent, "canary", session_id=had["session"]),
    "post_turn": lambda layer, agent, had: layer.post_turn(TurnRef(agent, had["turn"]), Outcome(response=SECRET)),
    "why": lambda layer, agent, had: layer.why(agent, had["turn"], had["memory"]),
    "candidates": lambda layer, agent, had: layer.explain.candidates(agent, had["turn"]),
    "replay": lambda layer, agent, had: layer.explain.replay(agent, had["turn"]),
    "turn": lambda layer, agent, had: layer.explain.turn(agent, had["turn"]),
    "turns": lambda layer, agent, had: layer.explain.turns(agent, session_id=had["session"]),
    "turn_ids": lambda layer, agent, had: layer.explain.turn_ids(agent),
    "open_turns": lambda layer, agent, had: layer.sessions.open_turns(agent, had["session"]),
    "past_plans": lambda layer, agent, had: layer.explain.past_plans(agent, "canary"),
    "resume": lambda layer, agent, had: layer.resume(agent, had["session"]),
    "end_session": lambda layer, agent, had: layer.end_session(agent, had["session"]),
    "artifacts": lambda layer, agent, had: layer.sessions.artifacts(agent, had["session"]),
    "artifact": lambda layer, agent, had: layer.artifact(agent, had["artifact"]),
    "search_artifact": lambda layer, agent, had: layer.sessions.search_artifact(agent, had["artifact"], "canary"),
    "work.list_subtasks": lambda layer, agent, had: layer.work.list_subtasks(agent, had["session"]),
    "work.search": lambda layer, agent, had: layer.work.search(agent, had["session"], "canary"),
    "work.add_dependencies": lambda layer, agent, had: layer.work.add_dependencies(
        agent, had["subtask"], [had["subtask"]]
    ),
    "work.abandon": lambda layer, agent, had: layer.work.abandon(agent, had["subtask"]),
    "work.advance": lambda layer, agent, had: layer.work.advance(agent, had["session"], 1),
}


@pytest.fixture
async def owned(layer, agent):
    """Return the ids of one object of each kind that the agent owns."""
    [memory] = await layer.remember(
        agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT, source="boiler", tags=("canary",))]
    )
    call = ToolCall(id="c", name="read_log", arguments={})
    conversation = [
        Message(role="user", content="Read the log."),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", content=LONG, tool_call_id="c"),
        Message(role="assistant", content="Read."),
    ]
    asked = Turn(agent_id=agent, session_id="s", text="When does the canary sing?", conversation=conversation)
    context = await layer.pre_turn(asked)
    await layer.post_turn(context, Outcome(response=SECRET))
    await internals(layer).background.drain()
    artifacts = await layer.sessions.artifacts(agent, "s")
    assert artifacts
    subtask = await layer.work.begin(agent, "s", "listen to the canary")
    await layer.work.plan(agent, "s", ["listen", "note"])
    return {
        "memory": memory,
        "turn": context.turn_id,
        "session": "s",
        "source": "boiler",
        "tag": "canary",
        "artifact": artifacts[0].id,
        "subtask": subtask.id,
    }


def nobodys():
    """Return unknown ids of the same kinds."""
    return {
        "memory": uuid4(),
        "turn": "no-such-turn",
        "session": "no-such-session",
        "source": "none",
        "tag": "none",
        "artifact": uuid4(),
        "subtask": uuid4(),
    }


async def told(ask, layer, agent, had):
    """Return the result or error as text, with ids replaced by their kinds."""
    try:
        text = repr(await ask(layer, agent, had))
    except CognitiveError as error:
        text = f"{type(error).__name__}: {error}"
    for kind, name in had.items():
        text = text.replace(str(name), f"[{kind}]") if len(str(name)) > 6 else text
    return text


@pytest.mark.parametrize("method", ASKED)
async def test_foreign_id_is_answered_like_an_unknown_id(layer, agent, owned, method):
    mine, before = f"{agent}-other", await layer.get(agent, [owned["memory"]])
    foreign = await told(ASKED[method], layer, mine, owned)
    assert foreign == await told(ASKED[method], layer, mine, nobodys())
    assert SECRET not in foreign
    assert await layer.get(agent, [owned["memory"]]) == before
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


def test_policy_override_applies_only_to_its_agent():
    policy = Policy(agents={"a": {"deadline_ms": 400.0}})
    assert (policy.for_agent("a").deadline_ms, policy.for_agent("b").deadline_ms) == (400.0, 250.0)
