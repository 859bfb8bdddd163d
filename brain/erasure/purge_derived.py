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
from brain.receipts import Receipt
from brain.statements import SqlStatements
from brain.text import lexemes
from brain.types import Trust

# Letters and digits that `normalise` replaces or joins in other ways than the statements do. They are rare in texts of
# most languages. The ranges contain a few others between them.
_NOT_COMPARED = (
    "\u00aa\u00b2\u00b3\u00b5\u00b9\u00ba\u00bc-\u00be\u0132\u0133\u013f\u0140\u0149\u017f\u01c4-\u01cc\u01f0-\u01f3"
    "\u02b0-\u02e4\u0300-\u036f\u0374\u037a\u0390\u03b0\u03d0-\u03f9\u0587\u0675-\u0678\u0958-\u095f\u09dc-\u09df\u0a33\u0a36"
    "\u0a59-\u0a5e\u0b5c\u0b5d\u0e33\u0eb3\u0edc\u0edd\u0f43-\u0f69\u10fc\u1100-\u11ff\u13a0-\u13fd\u1c80-\u1c88"
    "\u1d2c-\u1dbf\u1e96-\u1e9b\u1f50-\u1fff\u2070-\u209c\u2102-\u2189\u2460-\u249b\u24ea\u2c7c\u2c7d\u2d6f"
    "\u3038-\u303a\u309b-\u309f\u30ff\u3131-\u318e\u3192-\u3195\u3220-\u3289\u32b1-\u32bf\ua69c\ua69d\ua770\ua7f2-\ua7f9"
    "\uab5c-\uabbf\uf900-\ufdfb\ufe70-\uffdc\U00010000-\U0001f10a\U0001fbf0-\U0001fbf9\U0002f800-\U0002fa1d"
)
_MAY_CONTAIN = statements.load("purge_derived", not_compared=_NOT_COMPARED)["may_contain"].source
SQL = statements.load("purge_derived", searched="user_id = cognitive.scope()", may_contain=_MAY_CONTAIN)
_OF_ALL_USERS = statements.load("purge_derived", searched="true", may_contain=_MAY_CONTAIN)

QUOTING = ("content", "context", "attributes", "metadata")  # the fields of a memory that may quote another one


@dataclass(frozen=True, slots=True)
class Quoting:
    """Another memory that contains erased text.

    `differs` is True if the memory must be changed. `restates` is True if the memory keeps the text, because the host
    or the model stored the memory with this text.
    """

    id: UUID
    user_id: str
    differs: bool
    restates: bool


@dataclass(frozen=True, slots=True)
class Purge:
    """A search for the erased text `remains` in the rows of one user, or for shared memories in those of all users.

    `user_id` is the user of the erased memories, '' for shared ones. With `notes`, the notes on policies are searched
    too; a user's view does not search them, since operators write them.
    """

    agent_id: str
    user_id: str
    remains: Residue
    notes: bool

    @property
    def sql(self) -> SqlStatements:
        """The statements that search the rows."""
        return SQL if self.user_id else _OF_ALL_USERS


Part = Callable[[Connection, Purge, int | None], Awaitable[Mapping[str, int]]]  # since None: all rows


async def quoting(c: Connection, purge: Purge, ids: Sequence[UUID], since: int | None) -> list[Quoting]:
    """Return the memories that contain erased text, oldest first, without the memories `ids`.

    With `since`, return only those that were written since this database transaction.
    """
    rows = await c.fetch(
        *purge.sql.memories_holding(
            agent_id=purge.agent_id, probes=purge.remains.probes, memory_ids=list(ids), since_transaction=since
        )
    )
    found = list[Quoting]()
    for row in rows:
        said = {name: row[name] for name in QUOTING}
        left, cut = without(said, row["trust"], purge.remains), purge.remains.cut_all(said)
        if cut != said:
            found.append(Quoting(row["id"], row["user_id"], left != said, left != cut))
    return found


def without(said: Mapping[str, Any], trust: Trust, remains: Residue) -> dict[str, Any]:
    """Return a memory's fields without erased text.

    A memory stored by the host or the model keeps its content, attributes and metadata; only its context is cut.
    """
    own = said if trust in ("host", "agent") else remains.cut_all(said)
    return {**own, "context": remains.cut(said["context"])}


async def erase(c: Connection, purge: Purge, since: int) -> Counter[str]:
    """Remove erased text from the rows that were written since the database transaction `since`.

    Return the numbers of changed rows by kind. The functions of `parts` have searched older rows before, without
    blocking writers.
    """
    touched = Counter[str]()
    for part in parts(purge):
        touched.update(await part(c, purge, since))
    return touched


def parts(purge: Purge) -> Sequence[Part]:
    """Return the functions that remove erased text, one per kind of row; none if there is nothing to search for."""
    if not purge.remains.probes:
        return ()
    return (_turns, _revisions, _sessions, _artifacts, _subtasks, *((_notes,) if purge.notes else ()))


async def _turns(c: Connection, purge: Purge, since: int | None) -> Mapping[str, int]:
    agent_id, remains = purge.agent_id, purge.remains
    rows = await c.fetch(*purge.sql.turns_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.contains_any(row["message"]) or remains.contains_any(row["query"])]
    for row in held:
        of_turn = {"agent_id": agent_id, "user_id": row["user_id"], "turn_id": row["turn_id"]}
        await c.execute(*purge.sql.drop_turn_vectors(**of_turn))
        await c.execute(*purge.sql.cut_turn(**of_turn, message=remains.cut(row["message"])))
    answered = [row for row in rows if remains.contains_any(row["response"])]
    users, turns = _columns(answered, "user_id", "turn_id")
    await c.execute(*purge.sql.drop_responses(agent_id=agent_id, user_ids=users, turn_ids=turns))
    return {"turns": len(held), "responses": len(answered)}


async def _revisions(c: Connection, purge: Purge, since: int | None) -> Mapping[str, int]:
    """Delete the stored earlier versions of memories that contain erased text, and return their number.

    This includes the versions that were stored when the erasure changed a memory.
    """
    rows = await c.fetch(
        *purge.sql.revisions_holding(agent_id=purge.agent_id, probes=purge.remains.probes, since_transaction=since)
    )
    held = [row for row in rows if purge.remains.cut_all(row["previous"]) != row["previous"]]
    users, memories, numbers = _columns(held, "user_id", "memory_id", "number")
    await c.execute(
        *purge.sql.drop_revisions(agent_id=purge.agent_id, user_ids=users, memory_ids=memories, numbers=numbers)
    )
    return {"revisions": len(held)}


async def _sessions(c: Connection, purge: Purge, since: int | None) -> Mapping[str, int]:
    cut, remains = 0, purge.remains
    for row in await c.fetch(*purge.sql.sessions_kept(agent_id=purge.agent_id, since_transaction=since)):
        was = (row["summary"], list(row["plan"]), row["recent_messages"])
        left = (remains.without_lines(was[0]), [remains.cut(step) for step in was[1]], _messages(was[2], remains))
        if left != was:
            summary, plan, recent = left
            await c.execute(
                *purge.sql.cut_session(
                    agent_id=purge.agent_id,
                    user_id=row["user_id"],
                    session_id=row["session_id"],
                    summary=summary,
                    plan=plan,
                    recent_messages=recent,
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


async def _artifacts(c: Connection, purge: Purge, since: int | None) -> Mapping[str, int]:
    """Delete artifacts that contain erased text, and return their number.

    The text is not cut out of them, because pages of a changed artifact would no longer match the pointers to them.
    """
    agent_id, remains = purge.agent_id, purge.remains
    rows = await c.fetch(*purge.sql.pieces_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = {(row["user_id"], row["artifact_id"]) for row in rows if remains.contains_any(row["content"])}
    held |= {
        (row["user_id"], row["id"])
        for row in await c.fetch(*purge.sql.artifact_names(agent_id=agent_id, since_transaction=since))
        if remains.contains_any(row["name"])
    }
    users, ids = [user_id for user_id, _ in held], [id for _, id in held]
    await c.execute(*purge.sql.drop_artifacts(agent_id=agent_id, user_ids=users, artifact_ids=ids))
    return {"artifacts": len(held)}


async def _subtasks(c: Connection, purge: Purge, since: int | None) -> Mapping[str, int]:
    agent_id, remains = purge.agent_id, purge.remains
    rows = await c.fetch(*purge.sql.subtasks_holding(agent_id=agent_id, probes=remains.probes, since_transaction=since))
    held = [row for row in rows if remains.contains_any(row["title"]) or remains.contains_any(row["result"])]
    for row in held:
        title, result = remains.cut(row["title"]), remains.cut(row["result"])
        stems = sorted(set(lexemes(f"{title}\n{result}")))
        await c.execute(
            *purge.sql.cut_subtask(
                agent_id=agent_id,
                user_id=row["user_id"],
                subtask_id=row["id"],
                title=title,
                result=result,
                lexemes=stems,
            )
        )
    return {"subtasks": len(held)}


async def _notes(c: Connection, purge: Purge, since: int | None) -> Mapping[str, int]:
    agent_id = purge.agent_id
    rows = await c.fetch(*purge.sql.notes_holding(agent_id=agent_id, probes=purge.remains.probes))
    held = [(row, note) for row in rows if (note := purge.remains.cut(row["note"])) != row["note"]]
    for row, note in held:
        if row["role"] is None:
            await c.execute(*purge.sql.cut_candidate(agent_id=agent_id, version=row["version"], note=note))
        else:
            await c.execute(*purge.sql.cut_choice(agent_id=agent_id, role=row["role"], number=row["number"], note=note))
    return {"notes": len(held)}


async def log(c: Connection, agent_id: str, what: str, counts: Mapping[str, int]) -> None:
    """Write an erasure's time and numbers of rows to the log."""
    await c.execute(*SQL.log_erasure(agent_id=agent_id, what=what, counts=dict(counts)))


def counts(receipt: Receipt) -> dict[str, int]:
    """Return the numbers of a receipt that are not zero, for the erasure log."""
    return {name: count for name, count in asdict(receipt).items() if name not in ("agent_id", "user_id") and count}


def texts(said: Mapping[str, Any]) -> list[str]:
    """Return the texts that are erased with a memory or an earlier version of it.

    These are the content, and the attributes of more than three words.
    """
    beside = (value for value in said.get("attributes", {}).values() if isinstance(value, str))
    return [*([said["content"]] if "content" in said else []), *(text for text in beside if len(text.split()) > 3)]


def _columns(rows: Sequence[Any], *names: str) -> tuple[list[Any], ...]:
    return tuple([row[name] for row in rows] for name in names)
