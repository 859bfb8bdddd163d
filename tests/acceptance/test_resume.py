"""Another process resumes a session after the first was killed: its messages, summary and plan."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import provider_rules as rules
import pytest

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, ToolCall, Turn, TurnRef
from cognitive.session.recent import ResumedSession
from cognitive.window.output.normalise import pointers
from tests.internals import internals

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
STEPS = ["Read the log", "Free some space", "Tell the owner"]

CALM = Policy(deadline_ms=30_000)

PROCESS = """
import asyncio, sys
from cognitive import CognitiveLayer, Message, Outcome, Policy, ToolCall, Turn
from tests.internals import internals

async def main(url, agent):
    async with CognitiveLayer.open(url, policy=Policy(deadline_ms=30_000)) as layer:
        await layer.work.plan(agent, "s", {steps!r})
        talk = [Message(role="user", content="Is the server well?"), Message(role="assistant", content="I will look.")]
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Do so.", conversation=talk))
        log = "".join(f"{{n:05}} request served\\n" for n in range(4_000)) + "ERROR the disk is full\\n"
        call = ToolCall(name="bash", arguments={{"command": "cat log"}}, result=log)
        await layer.post_turn(context, Outcome(response="The disk is full.", tool_calls=[call]))
        await layer.work.advance(agent, "s", 0)
        await internals(layer).background.drain()
        print("ready", flush=True)
        await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=CALM, embedder=embedder) as layer:
        yield layer


def ask(agent: str, text: str, talk: Sequence[Message] = (), **fields) -> Turn:
    return Turn(agent_id=agent, session_id="s", text=text, conversation=talk, **fields)


async def drain_and_resume(layer: CognitiveLayer, agent: str) -> ResumedSession:
    """Wait for the layer's background writes, then resume the session."""
    await internals(layer).background.drain()
    resumed = await layer.resume(agent, "s")
    assert resumed is not None
    return resumed


def messages_of(resumed: ResumedSession) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in resumed.messages]


async def test_session_resumes_in_another_process_after_a_kill(layer, urls, agent, root):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROCESS.format(steps=STEPS),
        urls.app,
        agent,
        stdout=asyncio.subprocess.PIPE,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert await process.stdout.readline() == b"ready\n"
    process.kill()
    await process.wait()
    resumed = await layer.resume(agent, "s")
    roles, contents = zip(*messages_of(resumed), strict=True)
    assert roles == ("user", "assistant", "user", "assistant", "tool", "assistant")
    assert (contents[2], contents[5]) == ("Do so.", "The disk is full.")
    assert (resumed.turns, resumed.step, resumed.plan_step) == (1, 1, "Free some space")
    assert [(status, message) for _, _, status, message in resumed.recent] == [("completed", "Do so.")]
    assert resumed.preface.role == "system"
    assert "Free some space" in resumed.preface.content
    [pointer] = pointers(contents[4])
    [line] = await layer.sessions.search_artifact(agent, pointer, "ERROR")
    assert (await layer.artifact(agent, pointer, start=line.start)).text == "ERROR the disk is full\n"

    prompt = [resumed.preface, *resumed.messages]
    assert rules.violations(prompt) == ()
    context = await layer.pre_turn(ask(agent, "Then free some space!", prompt))
    assert rules.violations((*context.messages, Message(role="user", content="Then free some space!"))) == ()
    assert [message.content for message in context.messages if message.role == "user"] == [
        "Is the server well?",
        "Do so.",
    ]


async def test_resumed_summary_holds_messages_that_left_the_window(layer, agent):
    """Each message stays in the prompt or in the summary, and at most once in the summary."""
    talk, seen = [], []
    for n in range(60):
        context = await layer.pre_turn(ask(agent, f"Note number {n}.", talk, now=NOW + timedelta(minutes=n)))
        assert context.degraded == ()
        seen.append(" ".join(message.content for message in context.messages))
        await layer.post_turn(context, Outcome(response=f"Noted as {n}."))
        talk += [Message(role="user", content=f"Note number {n}."), Message(role="assistant", content=f"Noted as {n}.")]
        await internals(layer).background.drain()
    resumed = await drain_and_resume(layer, agent)
    assert resumed.summarized_until is not None
    together = f"{resumed.summary} {' '.join(message.content for message in resumed.messages)}"
    for n in range(60):
        assert f"Note number {n}." in together
        assert resumed.summary.count(f"Note number {n}.") <= 1
        assert all(f"Note number {n}." in text for text in seen[n + 1 :])
    assert resumed.summary in resumed.preface.content


async def test_messages_that_left_a_fitted_window_are_in_the_summary(layer, agent):
    """The host passes on the windows that `fit` returns, so that no later turn sees the messages again."""
    talk = []
    for n in range(30):
        context = await layer.pre_turn(ask(agent, f"Note number {n}.", talk))
        call = Message(role="assistant", tool_calls=(ToolCall(name="note", id="c"),))
        loop = [*context.messages, context.user_message, call, Message(role="tool", tool_call_id="c", content="ok")]
        window = await layer.fit(context, loop)
        talk = [*window.messages, Message(role="assistant", content=f"Noted as {n}.")]
        await layer.post_turn(context, Outcome(response=f"Noted as {n}."))
    together = " ".join(message.content for message in talk)
    resumed = await drain_and_resume(layer, agent)
    for n in range(30):
        assert f"Note number {n}." in together
        assert f"Note number {n}." in f"{resumed.summary} {messages_of(resumed)}"


async def test_resumed_messages_obey_provider_rules(layer, agent):
    calls = (ToolCall(id="a", name="bash", arguments={"n": 1}), ToolCall(id="b", name="bash"))
    talk = [
        Message(role="tool", tool_call_id="lost", content="of a call that is gone"),
        Message(role="user", content="Look."),
        Message(role="assistant", tool_calls=calls),
        Message(role="tool", tool_call_id="b", content="two"),
        Message(role="assistant", content=""),
        Message(role="system", kind="directive", content="Current step"),
    ]
    await layer.pre_turn(ask(agent, "And?", talk))
    resumed = await drain_and_resume(layer, agent)
    assert rules.violations(resumed.messages) == ()
    assert [message.role for message in resumed.messages] == ["user", "assistant", "tool", "tool", "user"]


async def test_long_session_resumes_with_the_newest_messages_within_limits(layer, agent):
    talk = [
        Message(role=role, content=f"{role} says {n} " + "x" * 3_000)
        for n in range(60)
        for role in ("user", "assistant")
    ]
    context = await layer.pre_turn(ask(agent, "And now?", talk))
    await layer.post_turn(context, Outcome(response="Now it is done."))
    resumed = await drain_and_resume(layer, agent)
    assert messages_of(resumed)[-2:] == [("user", "And now?"), ("assistant", "Now it is done.")]
    assert resumed.messages[0].role == "user"
    assert 4 <= len(resumed.messages) <= CALM.window.max_messages
    assert sum(len(message.content) for message in resumed.messages) <= CALM.window.max_chars


async def test_stored_session_keeps_no_text_of_shown_memories(layer, agent):
    """The host returns the block inside the conversation."""
    [id] = await layer.remember(agent, [NewMemory(type="fact", content="The key of the shed hangs behind the clock.")])
    first = await layer.pre_turn(ask(agent, "Where does the key of the shed hang?"))
    assert "behind the clock" in first.text
    talk = [Message(role="user", content=f"Where does the key of the shed hang?\n\n{first.text}")]
    await layer.pre_turn(ask(agent, "Thanks.", talk))
    await layer.forget(agent, [id])
    resumed = await drain_and_resume(layer, agent)
    assert "behind the clock" not in str(resumed)
    assert [content.strip() for _, content in messages_of(resumed)] == [
        "Where does the key of the shed hang?",
        "Thanks.",
    ]


async def test_cleared_session_keeps_its_turns_without_messages(layer, agent):
    context = await layer.pre_turn(ask(agent, "My password is swordfish."))
    await layer.post_turn(context, Outcome(response="I did not hear that."))
    assert len((await drain_and_resume(layer, agent)).messages) == 2
    assert (await layer.sessions.clear(agent, "s")).sessions == 1
    resumed = await layer.resume(agent, "s")
    assert (resumed.turns, resumed.messages, resumed.summary, resumed.preface) == (1, (), "", None)


@pytest.mark.parametrize(("session", "user"), [("t", "bob"), ("s", "ada")])
async def test_clearing_a_session_keeps_pending_writes_of_others(layer, agent, session, user):
    context = await layer.pre_turn(Turn(agent_id=agent, session_id=session, user_id=user, text="Where is it?"))
    await layer.post_turn(TurnRef(agent, context.turn_id, user), Outcome(response="On the roof."))
    await layer.sessions.clear(agent, "s", user_id="bob")
    await internals(layer).background.drain()
    resumed = await layer.resume(agent, session, user_id=user)
    assert messages_of(resumed) == [("user", "Where is it?"), ("assistant", "On the roof.")]


async def test_clearing_a_session_cancels_its_pending_writes(layer, agent):
    context = await layer.pre_turn(ask(agent, "My password is swordfish."))
    await layer.post_turn(TurnRef(agent, context.turn_id), Outcome(response="I did not hear that."))
    await layer.sessions.clear(agent, "s")
    assert (await drain_and_resume(layer, agent)).messages == ()


async def test_outcome_after_its_session_was_cleared_is_not_kept(layer, agent, caplog):
    context = await layer.pre_turn(ask(agent, "My password is swordfish."))
    await drain_and_resume(layer, agent)
    await layer.sessions.clear(agent, "s")
    await layer.post_turn(context, Outcome(response="I did not hear that."))
    assert (await drain_and_resume(layer, agent)).messages == ()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize("kind", ["heartbeat", "subagent", "cron"])
async def test_heartbeat_subagent_and_cron_turns_are_not_resumed(layer, agent, kind):
    context = await layer.pre_turn(ask(agent, "tick", kind=kind))
    await layer.post_turn(context, Outcome(response="tock"))
    assert (await drain_and_resume(layer, agent)).messages == ()


async def test_interrupted_tool_loop_is_resumed(layer, agent):
    """A turn without an outcome keeps its tool calls and results, each once."""
    context = await layer.pre_turn(ask(agent, "Free some space."))
    call = ToolCall(id="a", name="bash", arguments={"command": "du"})
    loop = [
        context.prompt()[-1],
        Message(role="assistant", tool_calls=[call]),
        Message(role="tool", tool_call_id="a", content="9 GB in /tmp"),
    ]
    await layer.fit(context, loop)
    resumed = await drain_and_resume(layer, agent)
    assert [message.role for message in resumed.messages] == ["user", "assistant", "tool"]
    assert [status for _, _, status, _ in resumed.recent] == ["open"]
    outcome = Outcome(response="Done.", tool_calls=[call.model_copy(update={"result": "9 GB in /tmp"})])
    await layer.post_turn(context, outcome)
    resumed = await drain_and_resume(layer, agent)
    assert messages_of(resumed)[2:] == [("tool", "9 GB in /tmp"), ("assistant", "Done.")]
    assert rules.violations(resumed.messages) == ()


async def test_session_resumes_without_the_system_prompt_of_the_host(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content="The shed is green.", pinned=True)])
    note = Message(role="system", content="The user is on a phone.")
    context = await layer.pre_turn(ask(agent, "Free some space.", [Message(role="user", content="Hi."), note]))
    assert "green" in context.prefix
    await layer.fit(context, [*context.prompt("You keep the server well."), Message(role="assistant", content="I do.")])
    resumed = await drain_and_resume(layer, agent)
    assert [content for _, content in messages_of(resumed)] == ["Hi.", note.content, "Free some space.", "I do."]


async def test_session_resumed_right_after_an_outcome_has_the_answer(layer, agent):
    context = await layer.pre_turn(ask(agent, "Free some space."))
    loop = [
        context.prompt()[-1],
        Message(role="assistant", tool_calls=[ToolCall(id="a", name="bash", arguments={"command": "du"})]),
        Message(role="tool", tool_call_id="a", content="9 GB in /tmp"),
    ]
    await layer.fit(context, loop)
    await layer.post_turn(context, Outcome(response="Done."))
    resumed = await layer.resume(agent, "s")
    assert resumed is not None
    assert messages_of(resumed)[-1] == ("assistant", "Done.")


async def test_message_beyond_the_window_limit_is_reported(layer, agent):
    talk = [Message(role="system", content="Rules. " * 20_000), Message(role="user", content="Well?")]
    context = await layer.pre_turn(ask(agent, "And?", talk))
    assert any(reason.startswith("window: beyond its bound of characters") for reason in context.degraded)
