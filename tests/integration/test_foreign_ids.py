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
CALLS = {
    "get": lambda layer, agent, ids: layer.get(agent, [ids["memory"]]),
    "find_by_source": lambda layer, agent, ids: layer.admin.find_by_source(agent, "fact", [ids["source"]]),
    "find": lambda layer, agent, ids: layer.admin.find(agent, {"tags": {"eq": ids["tag"]}}),
    "update": lambda layer, agent, ids: layer.update(agent, ids["memory"], content="stolen"),
    "forget": lambda layer, agent, ids: layer.forget(agent, [ids["memory"]]),
    "retire": lambda layer, agent, ids: layer.retire(agent, [ids["memory"]]),
    "restore": lambda layer, agent, ids: layer.restore(agent, [ids["memory"]]),
    "merge": lambda layer, agent, ids: layer.merge(agent, [ids["memory"]], ids["memory"]),
    "supersede": lambda layer, agent, ids: layer.remember(
        agent, [NewMemory(type="fact", content="stolen", occurred_at=AT, supersedes=ids["memory"])]
    ),
    "rate": lambda layer, agent, ids: layer.rate(agent, ids["turn"], ids["memory"], useful=True),
    "recall in a turn": lambda layer, agent, ids: layer.recall(agent, "canary", turn_id=ids["turn"]),
    "recall in a session": lambda layer, agent, ids: layer.recall(agent, "canary", session_id=ids["session"]),
    "post_turn": lambda layer, agent, ids: layer.post_turn(TurnRef(agent, ids["turn"]), Outcome(response=SECRET)),
    "why": lambda layer, agent, ids: layer.why(agent, ids["turn"], ids["memory"]),
    "candidates": lambda layer, agent, ids: layer.explain.candidates(agent, ids["turn"]),
    "replay": lambda layer, agent, ids: layer.explain.replay(agent, ids["turn"]),
    "turn": lambda layer, agent, ids: layer.explain.turn(agent, ids["turn"]),
    "turns": lambda layer, agent, ids: layer.explain.turns(agent, session_id=ids["session"]),
    "turn_ids": lambda layer, agent, ids: layer.explain.turn_ids(agent),
    "open_turns": lambda layer, agent, ids: layer.sessions.open_turns(agent, ids["session"]),
    "past_plans": lambda layer, agent, ids: layer.explain.past_plans(agent, "canary"),
    "resume": lambda layer, agent, ids: layer.resume(agent, ids["session"]),
    "end_session": lambda layer, agent, ids: layer.end_session(agent, ids["session"]),
    "artifacts": lambda layer, agent, ids: layer.sessions.artifacts(agent, ids["session"]),
    "artifact": lambda layer, agent, ids: layer.artifact(agent, ids["artifact"]),
    "search_artifact": lambda layer, agent, ids: layer.sessions.search_artifact(agent, ids["artifact"], "canary"),
    "work.list_subtasks": lambda layer, agent, ids: layer.work.list_subtasks(agent, ids["session"]),
    "work.search": lambda layer, agent, ids: layer.work.search(agent, ids["session"], "canary"),
    "work.add_dependencies": lambda layer, agent, ids: layer.work.add_dependencies(
        agent, ids["subtask"], [ids["subtask"]]
    ),
    "work.abandon": lambda layer, agent, ids: layer.work.abandon(agent, ids["subtask"]),
    "work.advance": lambda layer, agent, ids: layer.work.advance(agent, ids["session"], 1),
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


def unknown_ids():
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


async def answer_text(ask, layer, agent, ids):
    """Return the result or error as text, with ids replaced by their kinds."""
    try:
        text = repr(await ask(layer, agent, ids))
    except CognitiveError as error:
        text = f"{type(error).__name__}: {error}"
    for kind, name in ids.items():
        text = text.replace(str(name), f"[{kind}]") if len(str(name)) > 6 else text
    return text


@pytest.mark.parametrize("method", CALLS)
async def test_foreign_id_is_answered_like_an_unknown_id(layer, agent, owned, method):
    mine, before = f"{agent}-other", await layer.get(agent, [owned["memory"]])
    foreign = await answer_text(CALLS[method], layer, mine, owned)
    assert foreign == await answer_text(CALLS[method], layer, mine, unknown_ids())
    assert SECRET not in foreign
    assert await layer.get(agent, [owned["memory"]]) == before
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


def test_policy_override_applies_only_to_its_agent():
    policy = Policy(agents={"a": {"deadline_ms": 400.0}})
    assert (policy.for_agent("a").deadline_ms, policy.for_agent("b").deadline_ms) == (400.0, 250.0)
