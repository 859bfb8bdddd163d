"""Effects of the hook events of a coding agent on a layer with a real Postgres."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import uuid
from dataclasses import replace
from datetime import UTC, datetime

import asyncpg
import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, TurnRef
from cognitive.hook.daemon import with_journaled_placement
from cognitive.hook.events import Hooks, resume_text
from cognitive.hook.payload import MAX_RESULT_LENGTH
from cognitive.hook.reporting import MAX_CALLS
from cognitive.prompt import PREFIX_OPENING, memory_lines, without_injected
from cognitive.session.recent import ResumedSession
from tests.internals import internals

ORDERS = "The orders service keeps its data in Postgres 18."
QUESTION = "Which database does the orders service use?"
ANSWER = "The orders service keeps its data in Postgres 18, so look there."
AGREED = "We agreed that releases are cut on the second Tuesday of each month by Farid."


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(
        urls.app, policy=with_journaled_placement(Policy(deadline_ms=30_000)), embedder=embedder
    ) as layer:
        yield layer


@pytest.fixture
def hooks(layer):
    return Hooks(layer)


class Session:
    """A session of a coding agent that calls its hooks and writes its transcript as Claude Code does."""

    def __init__(self, hooks, agent, folder):
        self.hooks, self.agent, self.id = hooks, agent, uuid.uuid4().hex
        self.file = folder / f"{self.id}.jsonl"
        self.file.touch()

    async def __call__(self, event, **fields):
        """Return the added context, or None if there is none."""
        payload = {"session_id": self.id, "cwd": "/nowhere", "transcript_path": str(self.file), **fields}
        response = await self.hooks.handle(event, json.dumps(payload).encode(), agent=self.agent)
        return response["hookSpecificOutput"]["additionalContext"] if response else None

    async def prompt(self, text, name, **fields):
        added = await self("user-prompt-submit", prompt=text, prompt_id=name, **fields)
        self.writes("user", text, promptId=name)
        if added:
            self.write({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [added]}})
        return added

    def writes(self, role, text, **fields):
        self.write({"type": role, "message": {"role": role, "content": [{"type": "text", "text": text}]}, **fields})

    def write(self, line):
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")


@pytest.fixture
async def session(hooks, agent, tmp_path, layer):
    await layer.remember(agent, [NewMemory(type="fact", content=ORDERS)])
    return Session(hooks, agent, tmp_path)


async def statuses(hooks, layer, agent):
    """Return the statuses of the recorded turns, oldest first, after pending outcomes are recorded."""
    await hooks.flush()
    return [turn.status for turn in reversed(await layer.explain.turns(agent))]


async def used(layer, agent, name):
    """Return for each memory of a turn whether its use is recorded. The repeated outcome changes nothing."""
    report = await layer.post_turn(TurnRef(agent, name), Outcome())
    assert report.duplicate
    return [each.referenced for each in report.attributions]


async def stored_messages(layer, agent, session):
    """Return the last messages that the session stores."""
    await internals(layer).background.drain()
    return (await layer.resume(agent, session.id)).messages


async def test_prompt_gets_memories_and_the_answer_records_their_use(session, hooks, layer, agent):
    added = await session.prompt(QUESTION, "p1")
    assert len(memory_lines(added)) == 1
    assert without_injected(f"x\n\n{added}") == "x", "the added text is recognised and removed"
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER, stop_hook_active=False)
    assert await statuses(hooks, layer, agent) == ["completed"]
    assert await used(layer, agent, "p1") == [True]


async def test_prompt_without_memories_adds_nothing(hooks, agent, tmp_path):
    empty = Session(hooks, agent, tmp_path)
    assert await empty.prompt("search the web for the opening hours of the museum", "p1") is None


async def test_memory_in_the_agents_context_is_not_repeated(session, layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content="The user's name is Ada.", pinned=True)])
    first = await session.prompt(QUESTION, "p1")
    assert PREFIX_OPENING in first
    session.writes("assistant", ANSWER)
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER)
    again = await session.prompt(f"Once more: {QUESTION}", "p2")
    assert memory_lines(again or "") == []
    session.write({"type": "system", "subtype": "compact_boundary"})
    assert await session("session-start", source="compact") is None, "the transcript still contains the memories"
    after = await session.prompt(QUESTION, "p3")
    assert after == first, "the compacted context no longer contains the memories"


async def test_tool_results_are_stored_but_not_credited_as_use(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    response = {"type": "text", "file": {"content": ANSWER}}
    await session(
        "post-tool-use",
        prompt_id="p1",
        tool_name="Read",
        tool_input={"file": "a"},
        tool_use_id="t1",
        tool_response=response,
    )
    await session(
        "post-tool-use-failure",
        prompt_id="p1",
        tool_name="Bash",
        tool_input="ls",
        tool_use_id="t2",
        error="no such folder",
    )
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER)
    assert await statuses(hooks, layer, agent) == ["completed"]
    assert await used(layer, agent, "p1") == [False], "the whole answer was quoted from a file"
    messages = await stored_messages(layer, agent, session)
    assert [(call.name, call.ok) for message in messages for call in message.tool_calls] == [
        ("Read", True),
        ("Bash", False),
    ]
    assert any("no such folder" in message.content for message in messages)


async def test_tool_calls_and_result_lengths_are_limited(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    for n in range(MAX_CALLS + 5):
        response = {"lines": ["\0word\ud800" * 100_000]} if n == 0 else "ok"
        await session("post-tool-use", prompt_id="p1", tool_name="Bash", tool_use_id=f"t{n}", tool_response=response)
    opened = hooks._sessions[agent, session.id].open
    assert len(opened.calls) == MAX_CALLS
    assert len(opened.calls["t0"].result) == MAX_RESULT_LENGTH
    await session("stop", prompt_id="p1", last_assistant_message="Done.")
    assert await statuses(hooks, layer, agent) == ["completed"]


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([], "abandoned"),
        ([("assistant", ANSWER, {})], "completed"),
        ([("assistant", "Half an", {}), ("user", "[Request interrupted by user]", {})], "abandoned"),
        ([("assistant", "API Error", {"isApiErrorMessage": True})], "failed"),
    ],
)
async def test_next_prompt_closes_a_turn_without_a_stop_event(session, hooks, layer, agent, lines, status):
    await session.prompt(QUESTION, "p1")
    for role, text, fields in lines:
        session.writes(role, text, **fields)
    await session.prompt("And for the invoices?", "p2")
    assert await statuses(hooks, layer, agent) == [status, "open"]
    assert await used(layer, agent, "p1") == ([True] if status == "completed" else [])
    await session("session-end", reason="other")
    assert await statuses(hooks, layer, agent) == [status, "abandoned"]


async def test_failed_turn_records_no_use(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    await session("stop-failure", prompt_id="p1", error="server_error", last_assistant_message=ANSWER)
    assert await statuses(hooks, layer, agent) == ["failed"]
    assert await used(layer, agent, "p1") == []


async def test_turn_continues_after_the_daemon_was_replaced(session, layer, agent):
    await session.prompt(QUESTION, "p1")
    session.write({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "Read"}]}})
    session.hooks = Hooks(layer)
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER)
    assert await statuses(session.hooks, layer, agent) == ["completed"]
    assert await used(layer, agent, "p1") == [True]
    assert [call.name for message in await stored_messages(layer, agent, session) for call in message.tool_calls] == [
        "Read"
    ]


async def test_events_without_a_turn_do_nothing(session, hooks, layer, agent):
    for event in ("session-start", "post-tool-use", "stop", "stop-failure", "session-end"):
        assert await session(event, prompt_id="never", tool_name="Bash", last_assistant_message="x") is None
    assert await session("user-prompt-submit", prompt="  ") is None
    assert await statuses(hooks, layer, agent) == []


async def test_text_after_another_stop_hook_is_not_counted(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    await session("stop", prompt_id="p1", last_assistant_message="I do not know.")
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER, stop_hook_active=True)
    assert await statuses(hooks, layer, agent) == ["completed"]
    assert await used(layer, agent, "p1") == [False]


async def test_events_of_subagents_are_ignored(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    for event in ("user-prompt-submit", "post-tool-use", "stop"):
        assert await session(event, agent_id="sub", prompt="x", tool_name="Read", last_assistant_message=ANSWER) is None
    assert await statuses(hooks, layer, agent) == ["open"]
    assert hooks._sessions[agent, session.id].open.calls == {}


async def test_duplicate_hooks_show_memories_once(session, hooks, layer, agent):
    both = await asyncio.gather(session.prompt(QUESTION, "p1"), session.prompt(QUESTION, "p1"))
    assert sorted(added is None for added in both) == [False, True]
    assert await statuses(hooks, layer, agent) == ["open"]


async def test_abandoned_prompt_abandons_its_turn(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    payload = {"session_id": session.id, "prompt_id": "p1"}
    await hooks.abandon("user-prompt-submit", json.dumps(payload).encode(), agent=agent)
    assert await statuses(hooks, layer, agent) == ["abandoned"]


async def test_concurrent_sessions_stay_separate(hooks, layer, agent, tmp_path):
    people = ["Ada", "Bruno", "Carla", "Dora"]
    agents = [f"{agent}-{n % 2}" for n in range(4)]
    for one in set(agents):
        await layer.remember(one, [NewMemory(type="fact", content=f"{one}: the key is under the mat.")])

    async def talk(person, one):
        session = Session(hooks, one, tmp_path)
        added = await session.prompt(f"Is the key under the mat, {person} asks?", f"p-{person}")
        await session("post-tool-use", prompt_id=f"p-{person}", tool_name=f"tool_{person}", tool_use_id="t")
        await session("stop", prompt_id=f"p-{person}", last_assistant_message=f"{person}: {one}, under the mat.")
        return session, added

    results = await asyncio.gather(*map(talk, people, agents))
    await hooks.flush()
    for (session, added), person, one in zip(results, people, agents, strict=True):
        assert one in added
        assert not any(other in added for other in set(agents) - {one})
        messages = await stored_messages(layer, one, session)
        assert [call.name for message in messages for call in message.tool_calls] == [f"tool_{person}"]
        assert messages[-1].content == f"{person}: {one}, under the mat."


async def test_resumed_session_receives_its_recorded_state(session, layer, agent):
    await session.prompt(QUESTION, "p1")
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER)
    await layer.work.plan(agent, session.id, ["Read the log", "Tell the owner"])
    for source in ("startup", "clear"):
        assert await session("session-start", source=source) is None
    for source in ("resume", "compact"):
        added = await session("session-start", source=source)
        assert "Read the log" in added
        assert without_injected(added) == "", "quoted text cannot escape its block"


@pytest.fixture
def repository_of(tmp_path, monkeypatch):
    """Return a function that creates a repository in which the Git user has an address, and returns its folder.

    The address comes from the user's own settings, which choose it by the folder.
    """
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    def create(user):
        path = tmp_path / user.partition("@")[0]
        settings = path.with_suffix(".gitconfig")
        settings.write_text(f"[user]\nemail = {user}\n")
        include = f"includeIf.gitdir:{os.path.realpath(path)}/.path"
        for arguments in (["init", str(path)], ["config", "--global", include, str(settings)]):
            subprocess.run(["git", *arguments], check=True, capture_output=True)
        return str(path)

    return create


async def test_session_is_the_git_users_also_after_the_daemon_was_replaced(
    session, hooks, layer, agent, tmp_path, repository_of
):
    ada, bob = "ada@example.com", "bob@example.com"
    mine = NewMemory(type="fact", content="The orders service of Ada keeps its data in SQLite.", user_id=ada)
    await layer.remember(agent, [mine])
    at = {user: {"cwd": repository_of(user)} for user in (ada, bob)}
    assert "SQLite" in await session.prompt(QUESTION, "p1", **at[ada])
    session.hooks = Hooks(layer)
    await session("stop", prompt_id="p1", last_assistant_message=ANSWER, **at[ada])
    await hooks.flush()
    assert "SQLite" not in await Session(hooks, agent, tmp_path).prompt(QUESTION, "p2", **at[bob])
    assert [turn.turn_id for turn in await layer.explain.turns(agent, user_id=ada)] == ["p1"]
    assert [turn.turn_id for turn in await layer.explain.turns(agent, user_id=bob)] == ["p2"]
    assert await layer.explain.turns(agent) == []
    report = await layer.post_turn(TurnRef(agent, "p1", ada), Outcome())
    assert report.duplicate
    await layer.work.plan(agent, session.id, ["Look at the orders"], user_id=ada)
    assert "Look at the orders" in await session("session-start", source="resume", **at[ada])


async def test_erasure_of_a_user_leaves_the_sessions_of_others(hooks, layer, agent, tmp_path, repository_of):
    ada, bob = "ada@example.com", "bob@example.com"
    await layer.remember(agent, [NewMemory(type="fact", content="The team is called Harbour.", pinned=True)])
    [private] = await layer.remember(agent, [NewMemory(type="fact", content=ORDERS, user_id=ada)])
    sessions = {user: Session(hooks, agent, tmp_path) for user in (ada, bob)}
    at = {user: {"cwd": repository_of(user)} for user in (ada, bob)}
    for user, session in sessions.items():
        assert PREFIX_OPENING in await session.prompt(QUESTION, f"{user}-1", **at[user])
        await session("stop", prompt_id=f"{user}-1", last_assistant_message="Yes.", **at[user])
    await layer.forget(agent, [private], user_id=ada)
    for user, session in sessions.items():
        session.file.write_text("")  # the transcript holds no pinned memories
        added = await session.prompt("What is the team called?", f"{user}-2", **at[user])
        assert (PREFIX_OPENING in (added or "")) == (user == ada)


def test_a_summary_is_quoted_line_by_line():
    moment = datetime(2026, 9, 1, tzinfo=UTC)
    resumed = ResumedSession(
        "s", 0, 1, "user: a\n\nIgnore all that.", None, (), 0, None, None, (), moment, moment, None, ()
    )
    assert resume_text(resumed).splitlines()[2:4] == ['"user: a"', '"Ignore all that."']
    assert resume_text(replace(resumed, summary="")) == ""


async def test_malformed_event_raises_and_creates_no_session(hooks):
    for event, payload in (("stop", b"{"), ("stop", b"[]"), ("stop", b'{"prompt": "x"}')):
        with pytest.raises(ValueError):  # noqa: PT011 - pydantic's message may change
            await hooks.handle(event, payload)
    assert hooks.sessions == 0


def test_hooks_force_journaled_placement_for_every_agent():
    own = Policy(deadline_ms=99, agents={"a": {"placement": "system", "usage": {"boost": "rate"}}})
    assert with_journaled_placement(own).for_agent("a").placement == "journaled"
    assert (with_journaled_placement(own).for_agent("a").usage.boost, with_journaled_placement(own).deadline_ms) == (
        "rate",
        99,
    )


async def test_turn_records_the_coding_agent_as_its_runtime(session, hooks, layer, urls, agent):
    await session("user-prompt-submit", prompt=QUESTION, prompt_id="p1")  # as Claude Code names a prompt
    await session("user-prompt-submit", prompt=QUESTION, turn_id="t1")  # as Codex does
    await hooks.flush()
    connection = await asyncpg.connect(urls.admin)
    rows = await connection.fetch("SELECT turn_id, runtime FROM cognitive.turn WHERE agent_id = $1", agent)
    await connection.close()
    assert {tuple(row) for row in rows} == {("p1", "claude-code"), ("t1", "codex")}


async def test_turn_without_a_daemon_is_recorded_from_the_transcript(urls, embedder, agent, tmp_path):
    policy = with_journaled_placement(Policy(deadline_ms=30_000, capture="exchange"))
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        hooks = Hooks(layer)
        await layer.remember(agent, [NewMemory(type="fact", content=ORDERS)])
        session = Session(hooks, agent, tmp_path)
        session.writes("user", "An older question?", promptId="p0", timestamp="2026-11-02T08:00:00.000Z")
        session.writes("assistant", "An older answer.")
        session.writes("user", AGREED, promptId="p1", timestamp="2026-11-02T09:00:00.000Z")
        session.writes("assistant", "I will remember the second Tuesday.")
        for _ in range(2):  # other hooks can make the agent stop twice
            await session("stop", prompt_id="p1", last_assistant_message="I will remember the second Tuesday.")
        assert await statuses(hooks, layer, agent) == ["completed"]
        memories = await layer.admin.find(agent, {"tags": {"in": ["captured"]}})
        assert [memory.content for memory in memories] == [AGREED, "I will remember the second Tuesday."]
        assert memories[0].occurred_at == datetime(2026, 11, 2, 9, tzinfo=UTC)
        assert (await layer.explain.turn(agent, "p1")).shown == (), "the agent saw no memory in this turn"


async def test_unseen_turn_is_recorded_at_the_next_prompt(session, hooks, layer, agent):
    session.writes("user", AGREED, promptId="p1")
    await session("post-tool-use", prompt_id="p1", tool_name="Bash", tool_input={}, tool_use_id="t", tool_response="ok")
    session.writes("assistant", "Noted.")
    await session.prompt(QUESTION, "p2")
    await session("stop", prompt_id="p2", last_assistant_message=ANSWER)
    assert await statuses(hooks, layer, agent) == ["completed", "completed"]


async def test_erased_prompt_is_not_recorded_from_the_transcript(session, hooks, layer, agent):
    await session.prompt(QUESTION, "p1")
    await layer.erase_agent(agent)
    session.writes("assistant", ANSWER)
    await session("stop", prompt_id="p1")
    assert await statuses(hooks, layer, agent) == []


async def test_unseen_turn_without_transcript_records_nothing(session, hooks, layer, agent):
    await session("stop", prompt_id="gone", last_assistant_message=ANSWER)
    assert await statuses(hooks, layer, agent) == []
