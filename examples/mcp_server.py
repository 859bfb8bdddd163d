"""A client of the MCP server on standard input and output: it keeps a memory, recalls it, and reads it whole.

Here the client stands where Claude Code or any other MCP client would.

python examples/mcp_server.py
"""

from __future__ import annotations

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters, stdio_client

from cognitive import CognitiveLayer, Policy, Turn

AGENT = "example-mcp"
SERVER = StdioServerParameters(
    command=sys.executable,  # a client's settings say: "command": "cognitive"
    args=["-m", "cognitive.cli.main", "mcp", "--agent", AGENT, "--allow-remember"],
    env=dict(os.environ),  # by default a client hands on little of its environment, and no COGNITIVE_DATABASE_URL
)


async def main() -> None:
    async with Client(stdio_client(SERVER)) as client:
        for tool in (await client.list_tools()).tools:
            print(f"tool {tool.name}: {tool.title}")
        for content in ("We stay with Stripe: Adyen would save too little.", "Refunds take five days."):
            kept = await client.call_tool("remember", {"type": "decision", "content": content})
            print(kept.content[0].text)

        recalled = await client.call_tool("recall_context", {"query": "Which payment provider?", "limit": 1})
        print(recalled.content[0].text)  # for the model; structured_content is for programs
        [memory] = recalled.structured_content["memories"]
        whole = await client.read_resource(f"cognitive://memory/{memory['id']}")
        print(whole.contents[0].text)

    policy = Policy(deadline_ms=5_000)  # an example may run on a machine that is busy with something else
    async with CognitiveLayer.open(policy=policy) as layer:
        context = await layer.pre_turn(Turn(agent_id=AGENT, session_id="s1", text="Why do we stay with Stripe?"))
        async with Client(stdio_client(SERVER)) as client:  # nothing that the turn shows is brought again
            recalled = await client.call_tool("recall_context", {"query": "How long do refunds take?", "limit": 1})
        print("in the turn:", recalled.structured_content["turn_id"] == context.turn_id)
        print("shown:", [shown.content for shown in context.shown])
        print("recalled:", [memory["content"] for memory in recalled.structured_content["memories"]])
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
