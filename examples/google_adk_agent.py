"""A Google ADK agent with memory: what a user told it, it knows in every conversation with this user.

python examples/google_adk_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.google_adk import CognitiveADKPlugin

AGENT = "example-google-adk"
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


class Model(BaseLlm):
    """Stands where your model is called: it looks at the tides, and knows of the key what memory says."""

    async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        spoken = [content for content in request.contents if content.parts and content.parts[0].text]
        prompt = "\n".join(part.text or "" for part in spoken[-1].parts or [])
        print(f"--- the model sees, with the tools {list(request.tools_dict)}:\n{prompt}")
        if request.contents[-1] is not spoken[-1]:
            part = types.Part(text="High water is at 16:40.")
        elif prompt.startswith("When is the tide"):
            part = types.Part.from_function_call(name="tides", args={"harbour": "Sandvig"})
        else:
            known = "barometer" in prompt.partition("<memory-records>")[2]
            part = types.Part(text="It hangs behind the brass barometer." if known else "I do not know.")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


async def ask(runner: Runner, user: str, session: str, text: str) -> None:
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for event in runner.run_async(user_id=user, session_id=session, new_message=message):
        if event.is_final_response() and event.content and event.content.parts:
            print("answer:", event.content.parts[0].text)


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        agent = LlmAgent(name="harbour", model=Model(model="own"), instruction="You keep a harbour.", tools=[tides])
        app = App(name="harbour", root_agent=agent, plugins=[CognitiveADKPlugin(layer, AGENT)])
        runner = Runner(app=app, session_service=InMemorySessionService(), auto_create_session=True)

        await ask(runner, "ada", "monday", TOLD)
        await layer.flush()  # only here, so that the second turn comes after the first was counted
        await ask(runner, "ada", "tuesday", ASKED)
        await ask(runner, "bob", "wednesday", ASKED)  # what Ada told stays hers

        await layer.flush()
        for user in ("ada", "bob"):
            for turn in reversed(await layer.explain.turns(AGENT, user_id=user)):
                candidates = await layer.explain.candidates(AGENT, turn.turn_id, user_id=user)
                shown = [candidate for candidate in candidates if candidate.disposition == "shown"]
                used = sum(bool(candidate.used) for candidate in shown)
                print(f"{user} on {turn.session_id}: {turn.status}, {len(shown)} shown, {used} used")
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
