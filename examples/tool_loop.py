"""Run a loop of tool calls in a bounded prompt: `python examples/tool_loop.py`.

It shows which tools the model sees, how a long output is stored as an artifact and read by its pointer, and how another
process continues the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from cognitive import CognitiveLayer, Message, Outcome, Policy, Tool, ToolCall, Turn
from cognitive.window.output.normalise import pointers

AGENT, SESSION, MODEL = "example-loop", "s1", "gpt-4o-mini"
SYSTEM = "You are an operator. Use the tools."
LOG = "".join(f"2026-11-20T10:{n // 60:02}:{n % 60:02} GET /seats/{n} 200\n" for n in range(3_000))
LOG += "2026-11-20T10:50:00 ERROR deploy 4711: the migration lock is held by pid 812\n"
TOOLS = [
    Tool(name="exec", description="Runs a shell command.", parameters={"type": "object"}),
    Tool(name="web_search", description="Searches the web.", parameters={"type": "object"}),
    Tool(name="open_ticket", description="Opens a ticket.", parameters={"type": "object"}),
]


def model(prompt: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Message:
    """Stands where your model is called: first it asks for the log, then it answers from what it was shown."""
    if prompt[-1].role == "tool":
        found = next(line for line in prompt[-1].content.splitlines() if "ERROR" in line)
        return Message(role="assistant", content=f"It failed: {found}")
    call = ToolCall(id="call_1", name=tools[0]["name"], arguments={"command": "cat deploy.log"})
    return Message(role="assistant", tool_calls=[call])


async def turn(layer: CognitiveLayer) -> None:
    context = await layer.pre_turn(
        Turn(
            agent_id=AGENT,
            session_id=SESSION,
            text="Debug the deploy script: run git log and read why it failed.",
            tools=TOOLS,
            model=MODEL,
        )
    )
    print("categories:", context.plan.categories, "| thinking:", context.thinking)
    print("tools:", [tool.name for tool in context.tools], "| taken away:", context.plan.removed)
    print("hint:", context.plan.hint)

    said, calls = list(context.prompt(SYSTEM)), list[ToolCall]()
    while (answer := model(said, context.tools)).tool_calls:
        said.append(answer)
        for call in answer.tool_calls:
            said.append(Message(role="tool", tool_call_id=call.id, content=LOG))
            calls.append(call.model_copy(update={"result": LOG}))
        window = await layer.fit(context, said)  # what the model sees of all this, valid and bounded
        said = list(window.messages)
        print("window:", [message.role for message in said], window.trace.after)
    await layer.post_turn(context, Outcome(response=answer.content, tool_calls=calls))
    print("answer:", answer.content)


async def main() -> None:
    policy = Policy(deadline_ms=5_000)  # an example may run on a machine that is busy with something else
    async with CognitiveLayer.open(policy=policy) as layer:
        await turn(layer)

    async with CognitiveLayer.open(policy=policy) as layer:  # as a process would after a restart
        session = await layer.resume(AGENT, SESSION)
        shown = next(message.content for message in session.messages if message.role == "tool")
        print(f"resumed: {len(session.messages)} messages, the output in {len(shown)} of {len(LOG)} characters")
        [whole] = pointers(shown)
        [line] = await layer.sessions.search_artifact(AGENT, whole, "ERROR")
        page = await layer.artifact(AGENT, whole, start=line.start)
        print(f"line {line.number} of the whole: {page.text!r}")
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
