"""The files that one ordinary `pre_turn` enters: the path that a new reader has to follow."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import brain
import cognitive
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, Turn

ROOTS = tuple(f"{Path(package.__file__ or '').parent}/" for package in (brain, cognitive))
MAX_FILES = 54  # users and formation added two; the aim was about 50

ENTERED = frozenset(
    """
    brain/agent_rows.py
    brain/embedding/embedders.py
    brain/embedding/minilm.py
    brain/postgres/database.py
    brain/postgres/shared_transaction.py
    brain/postgres/transaction.py
    brain/search.py
    brain/text.py
    brain/turn_reads.py
    brain/turns.py
    brain/types.py
    brain/users.py
    cognitive/catalog/engine.py
    cognitive/catalog/fit.py
    cognitive/context/abstention.py
    cognitive/context/assemble.py
    cognitive/context/budget.py
    cognitive/context/dedup.py
    cognitive/context/engine.py
    cognitive/context/precedence.py
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
    cognitive/preflight/follow_ups.py
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
    cognitive/validation.py
    cognitive/window/fit.py
    cognitive/window/groups.py
    cognitive/window/rendering.py
    cognitive/window/selection.py
    cognitive/window/sliding_window.py
    cognitive/window/token_budget.py
    """.split()
)
# Further files, each with the reason for which it is separate.
BEYOND = {
    "cognitive/context/formed.py": "lines and what was formed from them: `recall` applies it as a turn does",
    "cognitive/context/system_memories.py": "memories of the system message: `recall` leaves out the same",
    "cognitive/formation/former.py": "forming in the background: asked once whether a crash left lines behind",
    "brain/admission.py": "which memories a filter admits: a strategy of its own, which turns without a filter skip",
    "brain/deadline.py": "deadlines: the one primitive of reads, models and outcomes",
    "brain/decay.py": "decay: one formula for ranking, budgets and the lab, repeated in SQL",
    "brain/filter_sql.py": "filters as SQL: lists and exports use it, too",
    "brain/filters.py": "the grammar of filters: a public type, without SQL",
    "brain/input_model.py": "the base class of input values: every kind of call checks its fields by it",
    "brain/language_detection.py": "the language of a text: indexing recognises that of a store by it",
    "brain/languages.py": "languages as rows of data, which indexing and import read, too",
    "brain/passage_texts.py": "texts of passages: a replay reads them by the keys of a record",
    "brain/postgres/breaker.py": "the circuit breaker: every transaction of every method passes it",
    "brain/postgres/event_loop.py": "the owner of the event loop: blocking runtimes use it, too",
    "brain/postgres/wire_types.py": "values on the wire: every store of the database decodes rows with it",
    "brain/redacting.py": "threads of a host's redactor: all stored text passes it, not only turns",
    "brain/sessions.py": "the rows of sessions: a separate store beside memories and turns",
    "brain/statements/__init__.py": "named SQL: every store of the database binds its statements with it",
    "brain/terms.py": "term frequencies: statistics of an index, separate from the search",
    "cognitive/preparation.py": "the order of the parts: loaded with them when a layer opens, which halves its import",
    "cognitive/threads.py": "threads for long texts: windows, sessions, outcomes and formation use them",
    "cognitive/background.py": "background tasks: it limits them and ends them at close",
    "cognitive/context/duplicates.py": "candidates compared with each other: they take places, sentences don't",
    "cognitive/context/evidence.py": "the terms of evidence: the benchmark that fits their weights reads them, too",
    "cognitive/context/identifiers.py": "what a code or a version is: text rules of their own, without ranking",
    "cognitive/context/listing.py": "requests for lists: they pass over abstention",
    "cognitive/context/numbers.py": "numbers in one spelling: attribution compares values by it, too",
    "cognitive/context/refusals.py": "refusals: retrieval drops the lines that refuse, attribution the clauses",
    "cognitive/context/superseded.py": "replaced memories: questions about the past keep them",
    "cognitive/context/talk.py": "lines that only ask: ranking, abstention and dedup treat them apart",
    "cognitive/context/trust.py": "trust: a safety rule that `recall` applies as a turn does",
    "cognitive/degradation.py": "the codes of degradations: a public type, which clients and pages read",
    "cognitive/lab/shadow.py": "the run of a shadow policy: an experiment without effect on the answer",
    "cognitive/policy/constants.py": "measured constants: kept apart from settings because no operator sets them",
    "cognitive/policy/models.py": "limits of each model: a table of data, to which settings may add rows",
    "cognitive/preflight/category_learning.py": "learned categories: they have the state of an agent; rules have none",
    "cognitive/preflight/listings.py": "which list a message asks for: rules of their own, with examples",
    "cognitive/preflight/category_table.py": "categories with an operator's changes: plans and tools read them",
    "cognitive/preflight/tool_categories.py": "the categories of tools, by statement or name: learning uses them, too",
    "cognitive/preflight/hint.py": "the planning hint: a line for the model, which runtimes may leave out",
    "cognitive/preflight/dates.py": "a grammar of dates: 250 lines independent of plans",
    "cognitive/preflight/topics.py": "topic words and names: rules of their own, with examples",
    "cognitive/preflight/rules/matching.py": "matching of rules: one automaton for six tables",
    "cognitive/privacy/redaction.py": "redaction: turns, outcomes and sessions share it",
    "cognitive/recording/coding.py": "frozen values to JSON and back: it knows types, not turns",
    "cognitive/telemetry/metrics.py": "the metrics and their port, which a host's metrics implement",
    "cognitive/telemetry/operations.py": "telemetry of a layer's methods, which contain none themselves",
    "cognitive/telemetry/spans.py": "spans: the only module that knows if the host traces",
    "cognitive/tokens.py": "an estimate of tokens: a port, which a host's counter replaces",
    "cognitive/window/engine_messages.py": "the engine's own messages: written and recognised in one place",
}
# Files that a turn enters only under the stated condition.
SOMETIMES = {
    "cognitive/feedback/prefetch.py": "only while the sentences of the last response are still being embedded",
    "brain/claims/changes.py": "only for texts whose words are not yet cached in the process",
    "brain/claims/statement.py": "as above: only if a text denies an older one",
    "brain/postgres/connection_setup.py": "only when the pool opens a connection because none is free",
    "brain/postgres/schema.py": "as above: the database of a new connection is checked",
    "cognitive/telemetry/attributes.py": "only when the process traces, which another test may have enabled",
    "cognitive/context/lexicon.py": "synonyms and antonyms, 300 rows: only for words that are not yet cached",
    "cognitive/window/output/normalise.py": "only when the limits of tool outputs are not yet cached in the process",
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


def test_ordinary_turn_enters_only_the_listed_files(urls, agent, now):
    entered = Entered()
    threading.setprofile(entered)  # applies to new threads only, so the turns run in a new one
    try:
        with ThreadPoolExecutor(1) as own:
            own.submit(asyncio.run, open_and_play(urls, agent, now, entered)).result()
    finally:
        threading.setprofile(None)
    assert entered.files - SOMETIMES.keys() == ENTERED | BEYOND.keys()
    assert len(ENTERED) <= MAX_FILES


def test_listed_files_exist(root):
    assert [name for name in sorted(ENTERED | BEYOND.keys() | SOMETIMES.keys()) if not (root / name).exists()] == []


async def open_and_play(urls, agent, now, entered):
    """Play the turns with a layer of their own."""
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=30_000)) as layer:
        await play_two_turns(layer, agent, now, entered)


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
            agent_id=agent,
            session_id="s1",
            text=text,
            conversation=conversation,
            tools=tools,
            model="openai/gpt-4o",
            now=now + timedelta(minutes=minutes),
        )

    first = await layer.pre_turn(turn("Which payment provider did we decide on?", 0))
    await layer.post_turn(first, Outcome(response="We stay with Stripe for payments."))
    entered.active = True
    second = await layer.pre_turn(turn("Where did Ines move the seat holds?", 5))
    entered.active = False
    assert second.shown
