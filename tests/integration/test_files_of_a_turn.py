"""The files that one ordinary `pre_turn` enters: the path that a new reader has to follow."""

from __future__ import annotations

import sys
import threading
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import brain
import cognitive
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, Turn

ROOTS = tuple(f"{Path(package.__file__ or '').parent}/" for package in (brain, cognitive))
MAX_FILES = 50

ENTERED = frozenset(
    """
    """.split()
)
BEYOND: dict[str, str] = {}  # the reason for each file more than MAX_FILES


class Entered:
    """Collects the product's files whose functions are called while `active`."""

    def __init__(self) -> None:
        self.active = False
        self._names: set[str] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if self.active and event == "call" and frame.f_code.co_filename.startswith(ROOTS):
            self._names.add(frame.f_code.co_filename)

    @property
    def files(self) -> set[str]:
        return {
            f"{Path(root).name}/{name.removeprefix(root)}"
            for name in self._names
            for root in ROOTS
            if name.startswith(root)
        }


async def test_ordinary_turn_enters_only_the_listed_files(urls, agent, now):
    entered = Entered()
    threading.setprofile(entered)  # for the threads that the layer starts
    sys.setprofile(entered)
    try:
        async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=30_000)) as layer:
            await play_two_turns(layer, agent, now, entered)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    print(len(entered.files), *sorted(entered.files), sep="\n    ")
    assert entered.files - ENTERED - BEYOND.keys() == set()
    assert len(ENTERED) <= MAX_FILES


def test_listed_files_exist(root):
    assert [name for name in sorted(ENTERED | BEYOND.keys()) if not (root / name).exists()] == []


async def play_two_turns(layer, agent, now, entered):
    """Play a turn that teaches, then an ordinary one that is watched."""
    decision = NewMemory(type="decision", content="We stay with Stripe for payments.")
    episode = NewMemory(type="episode", speaker="Ines", session_id="s0", content="I moved the seat holds to Postgres.")
    await layer.remember(agent, [decision, episode])
    conversation = [
        Message(role="user", content="Hello, what about the offers?"),
        Message(role="assistant", content="Adyen made one; it saves too little."),
    ]
    tools = [Tool(name="read_file", description="Read a file.", parameters={"type": "object", "properties": {}})]

    def turn(text, minutes):
        return Turn(
            agent_id=agent, session_id="s1", text=text, conversation=conversation, tools=tools, model="openai/gpt-4o",
            now=now + timedelta(minutes=minutes),
        )  # fmt: skip

    first = await layer.pre_turn(turn("Which payment provider did we decide on?", 0))
    await layer.post_turn(first, Outcome(response="We stay with Stripe for payments."))
    entered.active = True
    second = await layer.pre_turn(turn("Where did Ines move the seat holds?", 5))
    entered.active = False
    assert second.shown
