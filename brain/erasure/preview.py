"""Count what an erasure of memories would delete and change, without changing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from brain.erasure import purge_derived
from brain.erasure.purge_derived import Purge
from brain.erasure.residue import Residue, says_nothing
from brain.memory_rows import SQL
from brain.postgres.database import Connection
from brain.postgres.transaction import write_as
from brain.postgres.wire_types import as_value
from brain.preparing import identity
from brain.receipts import Receipt
from brain.types import Memory, NewMemory

_ByUser = dict[str, list[UUID]]  # ids of memories by their users, '' for shared ones


@dataclass(frozen=True, slots=True)
class _OtherMemories:
    """Other memories that contain text of the ones to erase: cut, erased too because nothing is left, or kept."""

    cut: int
    gone: _ByUser
    restated: int


async def preview(purge: Purge, ids: Sequence[UUID], c: Connection) -> Receipt:
    """Return the receipt that erasing memories of one user, or shared ones, would have now.

    The statements of the erasure run in this transaction and are rolled back. The agent's row is not locked, so that
    turns go on.
    """
    await c.execute("SAVEPOINT preview")
    receipt = await _receipt(purge, list(ids), c)
    await c.execute("ROLLBACK TO SAVEPOINT preview")
    return receipt


async def _receipt(purge: Purge, ids: list[UUID], c: Connection) -> Receipt:
    others = await _other_memories(purge, ids, c)
    gone = {**others.gone, purge.user_id: [*ids, *others.gone.get(purge.user_id, [])]}
    # turns are locked before sessions, as in the closing of a turn
    responses = await _withheld(purge, gone, c)
    touched = Counter[str]()
    for part in purge_derived.parts(purge):
        touched.update(await part(c, purge, None))
    all_gone = [id for own in gone.values() for id in own]
    bound = purge_derived.SQL.rows_of_memories(agent_id=purge.agent_id, memory_ids=all_gone)
    rows = dict(await c.fetchrow(*bound))
    return Receipt(
        purge.agent_id,
        **{**rows, "revisions": rows["revisions"] + touched["revisions"] + others.cut},  # a cut makes one, which goes
        user_id=purge.user_id or None,
        responses=responses + touched["responses"],
        artifacts=touched["artifacts"],
        turns_cut=touched["turns"],
        sessions_cut=touched["sessions"],
        subtasks_cut=touched["subtasks"],
        notes_cut=touched["notes"],
        memories_cut=others.cut,
        restated=others.restated,
    )


async def _withheld(purge: Purge, gone: _ByUser, c: Connection) -> int:
    """Delete the responses of turns that showed these memories, in the scopes of their users; return their number."""
    responses = 0
    for user_id, ids in sorted(gone.items(), key=lambda own: (own[0] != purge.user_id, own[0])):
        await _write_as(purge, user_id, c)
        withheld = await c.fetch(*SQL.withhold_responses(agent_id=purge.agent_id, memory_ids=ids))
        responses += sum(row["kept"] for row in withheld)
    await _write_as(purge, purge.user_id, c)
    return responses


async def _other_memories(purge: Purge, ids: list[UUID], c: Connection) -> _OtherMemories:
    quoting = await purge_derived.quoting(c, purge, ids, None)
    differing = {other.id: other.user_id for other in quoting if other.differs}
    rows = await c.fetch(*SQL.get_memories(agent_id=purge.agent_id, memory_ids=list(differing)))
    gone: _ByUser = {}
    for row in rows:
        await _write_as(purge, user_id := differing[row["id"]], c)
        if await _is_erased_too(purge, as_value(Memory, row), c):
            gone.setdefault(user_id, []).append(row["id"])
    await _write_as(purge, purge.user_id, c)
    return _OtherMemories(len(rows) - sum(map(len, gone.values())), gone, sum(other.restates for other in quoting))


async def _write_as(purge: Purge, user_id: str, c: Connection) -> None:
    if not purge.user_id:  # else all rows are the user's, and the view cannot be changed
        await write_as(c, user_id)


async def _is_erased_too(purge: Purge, memory: Memory, c: Connection) -> bool:
    """Return True if nothing is left of a memory without the erased text, or only what another memory says already."""
    left = without(memory, purge.remains)
    if says_nothing(left.content):
        return True
    equal = await c.fetch(*SQL.existing_identities(agent_id=purge.agent_id, identities=[identity(left)]))
    return any(row["id"] != memory.id for row in equal)


def without(memory: Memory, remains: Residue) -> NewMemory:
    """Return a memory without erased text."""
    fields = {name: getattr(memory, name) for name in NewMemory.model_fields}
    said = {name: fields[name] for name in purge_derived.QUOTING}
    return NewMemory(**{**fields, **purge_derived.without(said, memory.trust, remains)})
