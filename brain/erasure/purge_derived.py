"""Remove erased text from rows that were derived from memories: cut the text out where possible, else delete the row.

These rows are turns (messages, responses), sessions (last messages, summary, plan), artifacts, subtasks, and other
memories that quote the erased ones. None of this runs during a turn.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from brain import statements
from brain.erasure.residue import Residue
from brain.postgres.database import Connection
from brain.text import lexemes
from brain.types import Receipt, Trust

SQL = statements.load("purge_derived")

Part = Callable[[Connection, str, Residue, int | None], Awaitable[Mapping[str, int]]]  # since None: all rows

QUOTING = ("content", "context", "attributes", "metadata")  # the fields of a memory that may quote another one


@dataclass(frozen=True, slots=True)
class Quoting:
    """Another memory that contains erased text.

    `differs` is True if the memory must be changed. `restates` is True if the memory keeps the text, because the host
    or the model stored the memory with this text.
    """

    id: UUID
    differs: bool
    restates: bool


async def quoting(
    c: Connection, agent_id: str, ids: Sequence[UUID], remains: Residue, since: int | None
) -> list[Quoting]:
    """Return the memories that contain erased text, oldest first, without the memories `ids`.

    With `since`, return only those that were written since this database transaction.
    """
    rows = await c.fetch(
        *SQL.memories_holding(agent_id=agent_id, probes=remains.probes, memory_ids=list(ids), since_transaction=since)
    )
    found = list[Quoting]()
    for row in rows:
        said = {name: row[name] for name in QUOTING}
        left, cut = without(said, row["trust"], remains), remains.cut_all(said)
        if cut != said:
            found.append(Quoting(row["id"], left != said, left != cut))
    return found


def without(said: Mapping[str, Any], trust: Trust, remains: Residue) -> dict[str, Any]:
    """Return a memory's fields without erased text.

    A memory stored by the host or the model keeps its content, attributes and metadata; only its context is cut.
    """
    own = said if trust in ("host", "agent") else remains.cut_all(said)
    return {**own, "context": remains.cut(said["context"])}


async def erase(c: Connection, agent_id: str, remains: Residue, since: int) -> Counter[str]:
    """Remove erased text from the rows that were written since the database transaction `since`.

    Return the numbers of changed rows by kind. The functions of `parts` have searched older rows before, without
    blocking writers.
    """
    touched = Counter[str]()
    for part in parts(remains):
        touched.update(await part(c, agent_id, remains, since))
    return touched


def parts(remains: Residue) -> Sequence[Part]:
    """Return the functions that remove erased text, one per kind of row; none if there is nothing to search for."""
    return (_turns, _revisions, _sessions, _artifacts, _subtasks, _notes) if remains.probes else ()


async def _turns(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    rows = await c.fetch(*SQL.turns_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.contains_any(row["message"]) or remains.contains_any(row["query"])]
    for row in held:
        await c.execute(*SQL.cut_turn(agent_id=agent_id, turn_id=row["turn_id"], message=remains.cut(row["message"])))
    answered = [row["turn_id"] for row in rows if remains.contains_any(row["response"])]
    await c.execute(*SQL.drop_responses(agent_id=agent_id, turn_ids=answered))
    return {"turns": len(held), "responses": len(answered)}


async def _revisions(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    """Delete the stored earlier versions of memories that contain erased text, and return their number.

    This includes the versions that were stored when the erasure changed a memory.
    """
    rows = await c.fetch(*SQL.revisions_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.cut_all(row["previous"]) != row["previous"]]
    await c.execute(
        *SQL.drop_revisions(
            agent_id=agent_id, memory_ids=[row["memory_id"] for row in held], numbers=[row["number"] for row in held]
        )
    )
    return {"revisions": len(held)}


async def _sessions(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    cut = 0
    for row in await c.fetch(*SQL.sessions_kept(agent_id=agent_id, since_transaction=since)):
        was = (row["summary"], list(row["plan"]), row["recent_messages"])
        left = (remains.without_lines(was[0]), [remains.cut(step) for step in was[1]], _messages(was[2], remains))
        if left != was:
            summary, plan, recent = left
            await c.execute(
                *SQL.cut_session(
                    agent_id=agent_id, session_id=row["session_id"], summary=summary, plan=plan, recent_messages=recent
                )
            )
            cut += 1
    return {"sessions": cut}


def _messages(kept: bytes | None, remains: Residue) -> bytes | None:
    """Return a session's compressed last messages without erased text, unchanged if they contain no erased text."""
    if kept is None:
        return None
    told = zlib.decompress(kept).decode()
    left = remains.cut_json(told)
    return kept if left == told else zlib.compress(left.encode())


async def _artifacts(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    """Delete artifacts that contain erased text, and return their number.

    The text is not cut out of them, because pages of a changed artifact would no longer match the pointers to them.
    """
    rows = await c.fetch(*SQL.pieces_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = {row["artifact_id"] for row in rows if remains.contains_any(row["content"])}
    held |= {
        row["id"]
        for row in await c.fetch(*SQL.artifact_names(agent_id=agent_id, since_transaction=since))
        if remains.contains_any(row["name"])
    }
    await c.execute(*SQL.drop_artifacts(agent_id=agent_id, artifact_ids=sorted(held)))
    return {"artifacts": len(held)}


async def _subtasks(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    rows = await c.fetch(*SQL.subtasks_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.contains_any(row["title"]) or remains.contains_any(row["result"])]
    for row in held:
        title, result = remains.cut(row["title"]), remains.cut(row["result"])
        stems = sorted(set(lexemes(f"{title}\n{result}")))
        await c.execute(
            *SQL.cut_subtask(agent_id=agent_id, subtask_id=row["id"], title=title, result=result, lexemes=stems)
        )
    return {"subtasks": len(held)}


async def _notes(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    rows = await c.fetch(*SQL.notes_holding(agent_id=agent_id, probes=remains.probes))
    held = [(row, note) for row in rows if (note := remains.cut(row["note"])) != row["note"]]
    for row, note in held:
        if row["role"] is None:
            await c.execute(*SQL.cut_candidate(agent_id=agent_id, version=row["version"], note=note))
        else:
            await c.execute(*SQL.cut_choice(agent_id=agent_id, role=row["role"], number=row["number"], note=note))
    return {"notes": len(held)}


async def log(c: Connection, agent_id: str, what: str, counts: Mapping[str, int]) -> None:
    """Write an erasure's time and numbers of rows to the log."""
    await c.execute(*SQL.log_erasure(agent_id=agent_id, what=what, counts=dict(counts)))


def counts(receipt: Receipt) -> dict[str, int]:
    """Return the numbers of a receipt that are not zero, for the erasure log."""
    return {name: count for name, count in asdict(receipt).items() if name != "agent_id" and count}


def texts(said: Mapping[str, Any]) -> list[str]:
    """Return the texts that are erased with a memory or an earlier version of it.

    These are the content, and the attributes of more than three words.
    """
    beside = (value for value in said.get("attributes", {}).values() if isinstance(value, str))
    return [*([said["content"]] if "content" in said else []), *(text for text in beside if len(text.split()) > 3)]
