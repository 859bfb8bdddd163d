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
    brain/embedding/embedders.py
    brain/embedding/minilm.py
    brain/memory_rows.py
    brain/postgres/database.py
    brain/postgres/transaction.py
    brain/search.py
    brain/store.py
    brain/text.py
    brain/turns.py
    brain/types.py
    cognitive/catalog/engine.py
    cognitive/catalog/fit.py
    cognitive/context/abstention.py
    cognitive/context/assemble.py
    cognitive/context/budget.py
    cognitive/context/dedup.py
    cognitive/context/engine.py
    cognitive/context/ranking.py
    cognitive/context/render.py
    cognitive/context/retrieve.py
    cognitive/context/sentences.py
    cognitive/context/similarity.py
    cognitive/context/usage.py
    cognitive/layer.py
    cognitive/pipeline.py
    cognitive/plan.py
    cognitive/policy/policy.py
    cognitive/policy/resolver.py
    cognitive/preflight/classification.py
    cognitive/preflight/message_shape.py
    cognitive/preflight/plan.py
    cognitive/preflight/planner.py
    cognitive/preflight/signals.py
    cognitive/preflight/smalltalk.py
    cognitive/prompt.py
    cognitive/recording/record.py
    cognitive/session/conversation.py
    cognitive/session/recent.py
    cognitive/session/writer.py
    cognitive/trace.py
    cognitive/turn.py
    cognitive/window/fit.py
    cognitive/window/groups.py
    cognitive/window/rendering.py
    cognitive/window/selection.py
    cognitive/window/sliding_window.py
    cognitive/window/token_budget.py
    """.split()
)
# The reason for each file that is more than MAX_FILES.
BEYOND = {
    "brain/deadline.py": "every wait of a turn goes through it",
    "brain/decay.py": "the one definition of forgetting, which counters and ranking share",
    "brain/languages.py": "which words are common, by language",
    "brain/passage_texts.py": "checksums of what was found, which a replay compares",
    "brain/past_turns.py": "similar past turns, read beside the candidates",
    "brain/postgres/breaker.py": "asks no database that does not answer",
    "brain/postgres/event_loop.py": "refuses a call from another event loop",
    "brain/postgres/wire_types.py": "vectors on the wire",
    "brain/redacting.py": "what the host may take out of a message before it is stored",
    "brain/sessions.py": "what the session carries, one of the three reads of a turn",
    "brain/statements/__init__.py": "binds the parameters of every statement",
    "brain/terms.py": "which words of a query are read",
    "cognitive/background.py": "starts what follows beside a turn",
    "cognitive/context/lexicon.py": "words that mean the same or the opposite, as data",
    "cognitive/context/trust.py": "whose word is shown, and how much of one source",
    "cognitive/degradation.py": "the codes of what a turn had to do without",
    "cognitive/lab/shadow.py": "asks whether a shadow policy follows the turn",
    "cognitive/policy/constants.py": "the constants of ranking, apart from the settings",
    "cognitive/policy/models.py": "the budget of the model at hand",
    "cognitive/preflight/category_learning.py": "what past turns taught about tools",
    "cognitive/preflight/dates.py": "dates that a message names",
    "cognitive/preflight/rules/matching.py": "matches every table of rules",
    "cognitive/privacy/redaction.py": "the deadline of a redactor",
    "cognitive/recording/coding.py": "the columns of a record",
    "cognitive/telemetry/metrics.py": "what is counted of a turn",
    "cognitive/telemetry/operations.py": "observes the methods of a layer from outside",
    "cognitive/telemetry/spans.py": "spans, where the host traces",
    "cognitive/tokens.py": "counts what takes room in the prompt",
    "cognitive/window/engine_messages.py": "the engine's own messages, recognised in what came in",
    "cognitive/window/output/normalise.py": "the limits of tool outputs",
}


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
