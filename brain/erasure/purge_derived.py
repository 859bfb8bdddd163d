"""What was made of memories and does not go with their rows: cut where that is exact, else dropped or made anew.

Turns say in their message what somebody said, sessions keep last messages and a summary, artifacts and subtasks whole
texts, and other memories quote or surround what is erased. Nothing here is on a turn's path.
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

Part = Callable[[Connection, str, Residue, int | None], Awaitable[Mapping[str, int]]]  # since None: all there is

QUOTING = ("content", "context", "attributes")  # of a memory: where words of another one may stand


@dataclass(frozen=True, slots=True)
class Quoting:
    """Another memory that holds words of the erased ones. `differs`: it is to be changed. `restates`: it holds them all
    the same, since it was handed over on purpose.
    """

    id: UUID
    differs: bool
    restates: bool


async def quoting(
    c: Connection, agent_id: str, ids: Sequence[UUID], remains: Residue, since: int | None
) -> list[Quoting]:
    """The other memories that hold something, in the agent's order; of those written since a transaction, if given."""
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
    """What a memory says, cut; what somebody handed over on purpose keeps its content and what it carries beside."""
    own = said if trust in ("host", "agent") else remains.cut_all(said)
    return {**own, "context": remains.cut(said["context"])}


async def erase(c: Connection, agent_id: str, remains: Residue, since: int) -> Counter[str]:
    """Cuts or drops all that holds something of what was written since a transaction (`running`), and returns how many
    rows of what kind were touched. What was there before, `parts` look through, without keeping anybody waiting.
    """
    touched = Counter[str]()
    for part in parts(remains):
        touched.update(await part(c, agent_id, remains, since))
    return touched


def parts(remains: Residue) -> Sequence[Part]:
    """What there is to look through, each by itself; nothing, where there is nothing to look for."""
    return (_turns, _revisions, _sessions, _artifacts, _subtasks, _notes) if remains.probes else ()


async def _turns(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    rows = await c.fetch(*SQL.turns_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.held(row["message"]) or remains.held(row["query"])]
    for row in held:
        await c.execute(*SQL.cut_turn(agent_id=agent_id, turn_id=row["turn_id"], message=remains.cut(row["message"])))
    answered = [row["turn_id"] for row in rows if remains.held(row["response"])]
    await c.execute(*SQL.drop_responses(agent_id=agent_id, turn_ids=answered))
    return {"turns": len(held), "responses": len(answered)}


async def _revisions(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    """What other memories said before they were changed, among it what was just cut out of them."""
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
    """Last messages as they are kept, cut; as they are, if they hold nothing."""
    if kept is None:
        return None
    told = zlib.decompress(kept).decode()
    left = remains.cut_json(told)
    return kept if left == told else zlib.compress(left.encode())


async def _artifacts(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    """A text with a pointer to its pages is whole or gone."""
    rows = await c.fetch(*SQL.pieces_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = {row["artifact_id"] for row in rows if remains.held(row["content"])}
    held |= {
        row["id"]
        for row in await c.fetch(*SQL.artifact_names(agent_id=agent_id, since_transaction=since))
        if remains.held(row["name"])
    }
    await c.execute(*SQL.drop_artifacts(agent_id=agent_id, artifact_ids=sorted(held)))
    return {"artifacts": len(held)}


async def _subtasks(c: Connection, agent_id: str, remains: Residue, since: int | None) -> Mapping[str, int]:
    rows = await c.fetch(*SQL.subtasks_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.held(row["title"]) or remains.held(row["result"])]
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
    """Notes that something was erased: when, and how many rows of what kind."""
    await c.execute(*SQL.log_erasure(agent_id=agent_id, what=what, counts=dict(counts)))


def counts(receipt: Receipt) -> dict[str, int]:
    """What a receipt counts, but for what there was none of."""
    return {name: count for name, count in asdict(receipt).items() if name != "agent_id" and count}


def texts(said: Mapping[str, Any]) -> list[str]:
    """The texts that are erased with a memory, or with what it said before a change: what it says, and what stands in
    its attributes in sentences.
    """
    beside = (value for value in said.get("attributes", {}).values() if isinstance(value, str))
    return [*([said["content"]] if "content" in said else []), *(text for text in beside if len(text.split()) > 3)]
