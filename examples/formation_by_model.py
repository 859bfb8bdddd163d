"""Memories that a language model forms: from an OpenAI-compatible server, Anthropic, or a server on this machine.

python examples/formation_by_model.py [openai | anthropic | local]

The addresses and models are read from the environment; without an argument, a scripted model answers.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable

import httpx

from cognitive import CognitiveLayer, ModelExtractor, Outcome, Policy, Turn


async def openai(prompt: str) -> str:
    """Ask OpenAI, or any server with its interface: OpenRouter, vLLM, LiteLLM."""
    url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    return await chat(url, os.environ.get("OPENAI_MODEL", "gpt-4o-mini"), os.environ["OPENAI_API_KEY"], prompt)


async def local(prompt: str) -> str:
    """Ask a server on this machine, such as Ollama or llama.cpp; nothing leaves it."""
    url = os.environ.get("LOCAL_BASE_URL", "http://127.0.0.1:11434/v1")
    return await chat(url, os.environ.get("LOCAL_MODEL", "llama3.2"), "none", prompt)


async def chat(url: str, model: str, key: str, prompt: str) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    answer = await post(f"{url}/chat/completions", {"Authorization": f"Bearer {key}"}, body)
    return answer["choices"][0]["message"]["content"]


async def anthropic(prompt: str) -> str:
    """Ask Anthropic's Messages interface."""
    url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
    model = os.environ.get("ANTHROPIC_MODEL", "claude-3-5-haiku-latest")
    body = {"model": model, "max_tokens": 1_000, "messages": [{"role": "user", "content": prompt}]}
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    answer = await post(f"{url}/v1/messages", headers, body)
    return "".join(part["text"] for part in answer["content"] if part["type"] == "text")


async def post(url: str, headers: dict[str, str], body: dict) -> dict:
    async with httpx.AsyncClient(timeout=50) as client:  # below the extractor's own limit of 60 seconds
        response = await client.post(url, headers=headers, json=body)
        response.raise_for_status()
        return response.json()


async def scripted(prompt: str) -> str:
    """Stands where a model is called, so that this file runs anywhere."""
    found = {"kind": "fact", "text": "Staging listens on port 5433", "quote": "Port 5433 is where staging listens"}
    return json.dumps({"memories": [found]})


MODELS: dict[str, Callable[[str], Awaitable[str]]] = {"openai": openai, "anthropic": anthropic, "local": local}


async def main(ask: Callable[[str], Awaitable[str]]) -> None:
    policy = Policy(
        capture="exchange",
        deadline_ms=2_000,
        formation={"instructions": "Note ports and host names.", "never_topics": ("salary",)},
    )
    agent = "example-formation"
    # The model reads each session when it is over, and at most 200,000 tokens a day.
    model = ModelExtractor(ask, name="small", after="session_end", tokens_per_day=200_000)
    async with CognitiveLayer.open(policy=policy, extractor=model) as layer:
        await layer.erase_agent(agent)
        turn = Turn(agent_id=agent, session_id="s1", user_id="ada", text="Port 5433 is where staging listens now.")
        context = await layer.pre_turn(turn)
        await layer.post_turn(context, Outcome(response="Noted, I'll use 5433."))
        await layer.end_session(agent, "s1", user_id="ada")
    async with CognitiveLayer.open(policy=policy) as layer:
        for memory in await layer.recall(agent, "which port has staging?", user_id="ada", tags=("formed",)):
            print(f"{memory.attributes['formed_by']}: {memory.content}  ({memory.attributes['evidence']!r})")


if __name__ == "__main__":
    asyncio.run(main(MODELS[sys.argv[1]] if len(sys.argv) > 1 else scripted))
