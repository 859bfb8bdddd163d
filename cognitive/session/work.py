"""Working memory: the plan of a session, its subtasks, what they left, and what a new one should know of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import Field

from brain.sessions import CarriedState, Sessions
from brain.store import MemoryStore
from brain.subtasks import Subtask, Subtasks
from brain.types import MAX_CONTENT_LENGTH, InputModel, Label, MemoryText, NewMemory
from cognitive.context.render import NOTICE
from cognitive.errors import InvalidInput
from cognitive.prompt import CLOSING, OPENING, quote, sealed
from cognitive.recall import MAX_HITS, Recall
from cognitive.turn import RecallHit
from cognitive.validation import require_id, require_label
from cognitive.window import engine_messages
from cognitive.window.output.text import head_of

TAG = "working_memory"
MAX_RECALLED_FACTS = 5  # recalled for a new subtask (the seed's)
MAX_RELATED = 3  # finished subtasks found for it
MAX_RESULT_CHARS = 2_000  # of each result: a page; the whole is read by its id
MAX_FACTS = 50  # of one subtask; what leaves more is a document
MAX_RESULT_LENGTH = MAX_CONTENT_LENGTH


class Fact(InputModel):
    """What is worth knowing after a subtask."""

    content: MemoryText
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    entities: tuple[Label, ...] = ()


# What a host with a model may hand in: from a subtask and its result to what is worth knowing after it.
FactExtractor = Callable[[Subtask, str], Awaitable[Sequence[Fact | str]]]


@dataclass(frozen=True, slots=True)
class Work:
    """The work of agents: `layer.work`."""

    sessions: Sessions
    subtasks: Subtasks
    store: MemoryStore
    recall: Recall

    # --- the plan ---

    async def plan(self, agent_id: str, session_id: str, steps: Sequence[str]) -> None:
        """Gives a session a plan, at its first step; the one that it has already stays where it is.

        Raises:
            InvalidInput: a step that is blank, too long or poses as somebody; see `window.engine_messages.validated`.
        """
        _require(agent_id=agent_id, session_id=session_id)
        await self.sessions.plan(agent_id, session_id, engine_messages.validated(steps), datetime.now(UTC))

    async def advance(self, agent_id: str, session_id: str, step: int) -> CarriedState:
        """Marks a step, counted from 0, as done, and returns the plan; done twice, it is done once.

        Raises:
            InvalidInput: the session has no such step, or an earlier one is not done.
        """
        _require(agent_id=agent_id, session_id=session_id)
        if not isinstance(step, int) or not 0 <= step < engine_messages.MAX_STEPS:
            raise InvalidInput(f"step: expected a number from 0, got {step!r}")
        return await self.sessions.advance(agent_id, session_id, step)

    # --- subtasks ---

    async def begin(
        self, agent_id: str, session_id: str, title: str, depends_on: Sequence[UUID] = (), *, id: UUID | None = None
    ) -> Subtask:
        """Opens a subtask. With an `id` of the caller's own, once, whatever is retried.

        Raises:
            InvalidInput: it would depend on itself or on a subtask that is unknown, or the id is taken.
        """
        _require(agent_id=agent_id, session_id=session_id, title=title)
        own = require_id("id", id) if id is not None else uuid4()
        return await self.subtasks.begin(agent_id, session_id, title, _ids("depends_on", depends_on), id=own)

    async def add_dependencies(self, agent_id: str, id: UUID, on: Sequence[UUID]) -> Subtask:
        """Lets an open subtask depend on more.

        Raises:
            InvalidInput: it has ended, would come to depend on itself, or one of them is unknown.
        """
        _require(agent_id=agent_id)
        return await self.subtasks.add_dependencies(agent_id, require_id("id", id), _ids("on", on))

    async def complete(
        self,
        agent_id: str,
        id: UUID,
        result: str,
        artifacts: Sequence[UUID] = (),
        facts: Sequence[Fact | str] = (),
        *,
        extract: FactExtractor | None = None,
    ) -> Subtask:
        """Completes a subtask, and archives its facts as memories, once: the same call again goes on where it stopped.

        Without `facts`, `extract` is asked for them; what it raises is raised, and nothing has happened. A fact bears
        the source `task:<id>` (further ones `task:<id>#2`, ...), the tags `working_memory` and the title.

        Raises:
            InvalidInput: the subtask ended otherwise before, is unknown, or so is an artifact; a fact that is none.
        """
        _require(agent_id=agent_id)
        require_label("result", result, max_length=MAX_RESULT_LENGTH)
        [subtask] = await self.subtasks.get(agent_id, [require_id("id", id)])
        if extract is not None and not facts and not subtask.facts and subtask.status != "abandoned":
            facts = await extract(subtask, result)
        found = _facts(facts)
        done = await self.subtasks.finish(agent_id, subtask.id, "completed", result, _ids("artifacts", artifacts))
        if done.facts or not found:
            return done
        memories = [_memory(done, n, fact) for n, fact in enumerate(found, 1)]
        ids = await self.store.remember(agent_id, memories, now=datetime.now(UTC))
        await self.subtasks.archived(agent_id, done.id, list(dict.fromkeys(ids)))
        return (await self.subtasks.get(agent_id, [done.id]))[0]

    async def abandon(self, agent_id: str, id: UUID, reason: str = "") -> Subtask:
        """Gives a subtask up.

        Raises:
            InvalidInput: it was completed before, or is unknown.
        """
        _require(agent_id=agent_id)
        if reason:
            require_label("reason", reason, max_length=MAX_RESULT_LENGTH)
        return await self.subtasks.finish(agent_id, require_id("id", id), "abandoned", reason)

    async def list_subtasks(self, agent_id: str, session_id: str) -> tuple[Subtask, ...]:
        """A session's subtasks, oldest first."""
        _require(agent_id=agent_id, session_id=session_id)
        return await self.subtasks.list_by_session(agent_id, session_id)

    async def search(self, agent_id: str, session_id: str | None, query: str, limit: int = 5) -> tuple[Subtask, ...]:
        """Completed subtasks that share words with a query, the best first; of a session, or of all.

        A query without words finds nothing.
        """
        _require(agent_id=agent_id, **({"session_id": session_id} if session_id is not None else {}))
        if not isinstance(query, str):
            raise InvalidInput(f"query: expected a string, got {type(query).__name__}")
        if not isinstance(limit, int) or not 1 <= limit <= MAX_HITS:
            raise InvalidInput(f"limit: expected 1 to {MAX_HITS}, got {limit!r}")
        return await self.subtasks.search(agent_id, session_id, query, limit)

    async def context_for(
        self,
        agent_id: str,
        session_id: str,
        title: str,
        depends_on: Sequence[UUID] = (),
        *,
        turn_id: str | None = None,
        now: datetime | None = None,
    ) -> str:
        """What a new subtask should know, as a block for its prompt: what it depends on, facts, related work.

        Facts are recalled by its title; with a turn, they count as shown in it. Empty if there is nothing to know. It
        is sealed as memories are: given with the system prompt it stays there, and of a turn's conversation it is left
        out like every block of an earlier turn, so that what is forgotten does not live on in what is kept.

        Raises:
            InvalidInput: a dependency that is unknown. StoreUnavailable: Postgres is away.
        """
        _require(agent_id=agent_id, session_id=session_id, title=title)
        needed = await self.subtasks.get(agent_id, _ids("depends_on", depends_on))
        facts = await self.recall.search(agent_id, title, "fact", MAX_RECALLED_FACTS, turn_id or None, now)
        found = await self.subtasks.search(agent_id, None, title, MAX_RELATED + len(needed))
        related = [subtask for subtask in found if subtask.id not in {each.id for each in needed}][:MAX_RELATED]
        return _block(needed, facts, related, MAX_RESULT_CHARS)


def _require(**names: object) -> None:
    for name, value in names.items():
        require_label(name, value)


def _ids(name: str, ids: Sequence[UUID]) -> list[UUID]:
    return list(dict.fromkeys(require_id(name, id) for id in ids))


def _facts(facts: Sequence[Fact | str]) -> list[Fact]:
    if isinstance(facts, str) or len(facts) > MAX_FACTS:
        raise InvalidInput(f"facts: expected a list of at most {MAX_FACTS}")
    return [fact if isinstance(fact, Fact) else Fact(content=fact) for fact in facts]


def _memory(subtask: Subtask, number: int, fact: Fact) -> NewMemory:
    """A fact with where it comes from. A source names one memory, so only the first bears the task's own name."""
    return NewMemory(
        trust="agent",
        type="fact",
        content=fact.content,
        occurred_at=subtask.completed_at,
        session_id=subtask.session_id,
        source=f"task:{subtask.id}" if number == 1 else f"task:{subtask.id}#{number}",
        tags=(TAG, subtask.title),
        entities=fact.entities,
        confidence=fact.confidence,
    )


def _block(needed: Sequence[Subtask], facts: Sequence[RecallHit], related: Sequence[Subtask], max_length: int) -> str:
    sections = {
        "Context from dependencies": [_line(subtask, max_length) for subtask in needed],
        "Relevant knowledge": [f"- {_day(hit.occurred_at)}{quote(hit.content)}" for hit in facts],
        "Related work": [_line(subtask, max_length) for subtask in related],
    }
    lines = [line for heading, own in sections.items() if own for line in (f"{heading}:", *own)]
    return sealed(OPENING, [NOTICE, *lines], CLOSING) if lines else ""


def _line(subtask: Subtask, max_length: int) -> str:
    """A subtask as the prompt shows it: when it ended, its title, what came of it, where what it made can be read."""
    shown = head_of(subtask.result, max_length)
    told = f"{subtask.title}: {shown}" if shown else subtask.title
    if subtask.status != "completed":
        told = f"[{subtask.status}] {told}"
    told = "\n".join([told, *(f"artifact:{id}" for id in subtask.artifacts)])
    excerpt = " (excerpt)" if len(shown) < len(subtask.result) else ""
    return f"- {_day(subtask.completed_at or subtask.created_at)}{quote(told)}{excerpt}"


def _day(at: datetime | None) -> str:
    return f"{at.date().isoformat()} " if at is not None else ""
