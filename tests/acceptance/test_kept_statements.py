"""Statements made once remain in the prompt of a long session, word for word, and in its resumed summary."""

from __future__ import annotations

from cognitive import CognitiveLayer, Message, Outcome, Policy, ToolCall, Turn
from cognitive.tokens import count
from cognitive.window import engine_messages
from tests.hashed import old
from tests.internals import internals
from tests.planted import CONVERSATIONS, exchanges, kept

MAX_TOKENS = 846  # of the summary per turn: what condensing alone took


async def play(layer, agent, conversation):
    """Play a conversation, with a tool call in each turn, passing on the windows of the layer.

    Return the last window, and the tokens of each turn's summary.
    """
    talk, tokens = [], []
    for each in exchanges(conversation):
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=each["user"], conversation=talk))
        await internals(layer).background.drain()  # the user and the model are slower than the summary
        talk = [*context.messages, context.user_message]
        call = Message(role="assistant", tool_calls=(ToolCall(name="look", id="c"),))
        talk += [call, Message(role="tool", tool_call_id="c", content="ok")]
        talk = [*(await layer.fit(context, talk)).messages]
        talk.append(Message(role="assistant", content=each["assistant"]))
        await layer.post_turn(context, Outcome(response=each["assistant"]))
        await internals(layer).background.drain()
        tokens.append(sum(count(message.content) for message in talk if engine_messages.is_summary(message)))
    return talk, tokens


async def test_statements_of_a_long_session_stay_in_the_prompt(urls, agent):
    policy = Policy(deadline_ms=30_000, deadlines={"fit_ms": 30_000})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=old()) as layer:
        talk, tokens = await play(layer, agent, CONVERSATIONS[1])
        resumed = await layer.resume(agent, "s")
    assert len(kept(CONVERSATIONS[1], "\n".join(message.content for message in talk))) >= 18
    assert len(kept(CONVERSATIONS[1], resumed.summary)) >= 17
    assert sum(tokens) / len(tokens) <= MAX_TOKENS
