"""Every placement keeps all parts of the prompt; the journaled placement never changes what was sent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import AT, candidate, uid

from brain.types import Memory
from cognitive.context import render
from cognitive.context.dedup import without_injected_blocks
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.preflight import plan as planning
from cognitive.prompt import PromptParts, place, with_injected, without_injected
from cognitive.trace import Trace
from cognitive.turn import MAX_MESSAGE_LENGTH, Message, TurnContext

pytestmark = pytest.mark.promise(number=7)

POLICY = Policy()
PLACEMENTS = ["user_tail", "journaled", "system"]
PREFIX = render.prefix(
    [Memory(uid(9), "fact", "Answer in French.", None, "", AT, None, None, (), (), 1.0, True, None, None)], POLICY
)
WORDS = st.text(alphabet="ab <>\n", max_size=12)
BLOCKS = st.lists(st.integers(1, 5), max_size=3, unique=True).map(
    lambda some: render.block([candidate(n, f"Memory {n}.") for n in some], POLICY)
)


def context(message="Hello?", *, block="", prefix="", hint=None, messages=(), placement="user_tail") -> TurnContext:
    plan = planning.create_plan(Signals(message), "question", (), POLICY)
    object.__setattr__(plan, "hint", hint)
    return TurnContext(
        "a",
        "s",
        "t",
        AT,
        message,
        block,
        prefix,
        (),
        plan,
        without_injected_blocks(messages, placement),
        (),
        (),
        Trace(message, "p", AT),
        placement=placement,
    )


def flat(messages) -> str:
    return "".join(f"<{message.role}>{message.content}\x00" for message in messages)


@given(st.sampled_from(PLACEMENTS), WORDS, WORDS, st.sampled_from(["", PREFIX]), BLOCKS, st.none() | st.just("Search."))
@settings(max_examples=150)
def test_prompt_contains_each_part_once_and_the_unchanged_message(placement, system, message, prefix, block, hint):
    prompt = context(message, block=block, prefix=prefix, hint=hint, placement=placement).prompt(system)
    whole = flat(prompt)
    assert [each.role for each in prompt] in (["system", "user"], ["user"])
    for part in (prefix, block):
        assert whole.count(part) == 1 or not part
    assert without_injected(prompt[-1].content) == message
    if prompt[0].role == "system":
        assert prompt[0].content.startswith(system)
        assert prefix in prompt[0].content
    carrier = prompt[0] if placement == "system" else prompt[-1]
    assert carrier.content.endswith(block)
    if hint:
        before = carrier.content.removesuffix(block).removesuffix("\n").rsplit("\n", 1)[-1]
        assert before.startswith("Search. (seal ")


@given(st.sampled_from(PLACEMENTS), st.lists(st.tuples(WORDS, BLOCKS, WORDS), max_size=6), WORDS)
@settings(max_examples=100)
def test_successive_prompts_share_the_beginning_of_their_placement(placement, turns, system):
    """The host keeps `user_message` and the answer, and passes them with the next turn."""
    conversation: list[Message] = []
    earlier = None
    for message, block, answer in turns:
        now = context(message, block=block, prefix=PREFIX, messages=conversation, placement=placement)
        prompt = now.prompt(system)
        if earlier is not None and placement == "journaled":
            assert flat(prompt).startswith(flat(earlier))
        if earlier is not None and placement == "user_tail":
            assert flat(prompt).startswith(flat(earlier[:-1]))
            assert prompt[len(earlier) - 1].content == without_injected(earlier[-1].content)
        if placement != "journaled":
            assert not any("Records from memory" in each.content for each in prompt[1:-1])
        earlier = prompt
        conversation = [*conversation, now.user_message, Message(role="assistant", content=answer)]


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_old_block_in_a_conversation_is_removed_unless_journaled(placement):
    block = render.block([candidate(1)], POLICY)
    forged = block.replace("Tea", "Rum")
    conversation = [
        Message(role="system", content=f"Be kind.\n\n{PREFIX}"),
        Message(role="user", content=with_injected("Hi", "Look.", block)),
        Message(role="assistant", content=f"You gave me {block}"),
        Message(role="user", content=block),
        Message(role="tool", content=block, tool_call_id="1"),
        Message(role="user", content=f"I typed {forged}"),
        Message(role="tool", content="", tool_call_id="2"),
    ]
    messages = context(messages=conversation, placement=placement).messages
    if placement == "journaled":
        assert messages == tuple(conversation)
        return
    assert [message.content for message in messages] == [
        "Be kind.",
        "Hi",
        f"You gave me {block}",
        block,
        f"I typed {forged}",
        "",
    ]
    assert [message.role for message in messages] == ["system", "user", "assistant", "tool", "user", "tool"]


def test_only_journaled_user_message_includes_the_block():
    block = render.block([candidate(1)], POLICY)
    contents = {each: context("Hi", block=block, placement=each).user_message.content for each in PLACEMENTS}
    assert contents == {"user_tail": "Hi", "system": "Hi", "journaled": f"Hi\n\n{block}"}


def test_message_of_maximum_length_is_sent_with_its_block():
    block = render.block([candidate(1)], POLICY)
    sent = context("x" * MAX_MESSAGE_LENGTH, block=block).prompt()[-1].content
    assert sent.endswith(block)


def test_prefix_follows_the_system_prompt_of_the_host():
    placed = place(PromptParts("Be kind.", PREFIX, "Hi", None, ""), "user_tail")
    assert (placed.system, placed.sent, placed.user_message) == (f"Be kind.\n\n{PREFIX}", "Hi", "Hi")
    assert context("Hi").prompt() == (Message(role="user", content="Hi"),)
