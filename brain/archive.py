"""Export and import an agent's memories with their metadata: ids, times, usage and revisions.

Memories are read a page at a time, so that an agent of any size can be exported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import Field, model_validator

from brain import filter_sql, redacting, statements
from brain.errors import InvalidInput
from brain.filters import NO_FILTER, MemoryFilter
from brain.input_model import InputModel
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.redacting import Redact
from brain.types import HiddenReason, Label, Memory, MemoryType, Moment, NewMemory
from brain.users import Scope

SQL = statements.load("archive")

Mass = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=2**63)]


class ArchivedUsage(InputModel):
    """The exported usage of a memory: how often it was shown and used.

    `times_shown` and `times_used` are plain counts. `shown` and `used` are sums that decay with time, as of `last_at`.
    """

    shown: Mass
    used: Mass
    times_shown: Count
    times_used: Count
    last_at: Moment


class ArchivedRevision(InputModel):
    """An exported change of a memory: its number, its time, and the values of the changed fields before it.

    See `Revision`.
    """

    number: Annotated[int, Field(gt=0, lt=2**31)]
    previous: Mapping[str, Any]
    changed_at: Moment


class MemoryMetadata(InputModel):
    """The metadata of an exported memory that `NewMemory` does not have: id, state, times, usage and revisions.

    Raises:
        InvalidInput: the numbers of the revisions do not increase, only one of `hidden_at` and `hidden_reason` is set,
            or a key is unknown.
    """

    id: UUID
    replaced_by: UUID | None = None
    hidden_at: Moment | None = None
    hidden_reason: HiddenReason | None = None
    created_at: Moment
    updated_at: Moment
    usage: ArchivedUsage | None = None
    revisions: tuple[ArchivedRevision, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        numbers = [change.number for change in self.revisions]
        if numbers != sorted(set(numbers)):
            raise InvalidInput("MemoryMetadata.revisions: the numbers must increase")
        if (self.hidden_at is None) != (self.hidden_reason is None):
            raise InvalidInput("MemoryMetadata: hidden_at and hidden_reason must both be set, or neither")
        return self


class TypeUsage(InputModel):
    """The usage of an agent's memories of one type: how often they were shown and used, as sums that decay with time.

    The sums are as of `last_at`; they are of shared memories, or of those of `user_id`. The estimate of how often a
    single memory is used is drawn towards the rate of its type.
    """

    type: MemoryType
    user_id: Label | None = None
    shown: Mass
    used: Mass
    decoys: Mass
    decoys_used: Mass
    last_at: Moment


@dataclass(frozen=True, slots=True)
class ArchivedMemory:
    """A memory as it is exported and imported, with its metadata."""

    memory: NewMemory
    kept: MemoryMetadata

    def require_past(self) -> None:
        """Check that undoing the revisions of an imported memory, latest first, gives a valid memory at each step.

        Raises:
            InvalidInput: a revision has an unknown field or an invalid value; the error message has its number.
        """
        values = {name: getattr(self.memory, name) for name in NewMemory.model_fields}
        for change in reversed(self.kept.revisions):
            values |= change.previous
            try:
                NewMemory(**values)
            except InvalidInput as error:
                raise InvalidInput(f"revision {change.number}: {error}") from None


def redacted(archived: Sequence[ArchivedMemory], redact: Redact) -> list[ArchivedMemory]:
    """Return memories with their texts redacted, also the earlier texts in their revisions."""
    return [
        replace(each, memory=redacting.memory(each.memory, redact), kept=_redacted_kept(each.kept, redact))
        for each in archived
    ]


def _redacted_kept(kept: MemoryMetadata, redact: Redact) -> MemoryMetadata:
    changes = [each.model_copy(update={"previous": _redacted_change(each.previous, redact)}) for each in kept.revisions]
    return kept.model_copy(update={"revisions": tuple(changes)})


def _redacted_change(previous: Mapping[str, Any], redact: Redact) -> dict[str, Any]:
    return {
        name: redacting.field(name, each, redact) if name in redacting.REDACTED_FIELDS else each
        for name, each in previous.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory(Memory):
    """A stored memory with its sequence number `seq` and the other fields of `MemoryMetadata`."""

    seq: int
    created_at: datetime
    updated_at: datetime
    usage: Mapping[str, float | str] | None
    revisions: tuple[Any, ...] | None


class Archive:
    """Reads an agent's memories for an export. For an import, writes what `MemoryStore.restore` does not write."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, scope: Scope, after: int, limit: int, wanted: MemoryFilter = NO_FILTER) -> list[StoredMemory]:
        """Return the next `limit` memories that a filter admits with a `seq` above `after`, in this order.

        They are those of the scope's user, or of all users, without the shared memories that a user's view sees too.
        """
        admitted = filter_sql.condition(wanted)
        statement = filter_sql.filled(SQL.page, admitted.sql)
        bound = statement(
            agent_id=scope.agent_id, of_user=_of_user(scope), after_seq=after, limit=limit, **admitted.values
        )
        return [as_value(StoredMemory, row) for row in await self._database.run(scope, lambda c: c.fetch(*bound))]

    async def bases(self, scope: Scope) -> list[TypeUsage]:
        """Return how often the agent's memories of each type were shown and used, for an export."""
        return [
            TypeUsage(**dict(row))
            for row in await self._database.run(
                scope, lambda c: c.fetch(*SQL.bases(agent_id=scope.agent_id, of_user=_of_user(scope)))
            )
        ]

    async def put_bases(self, scope: Scope, bases: Sequence[TypeUsage]) -> None:
        """Store how often imported memories of each type were used, for memory types that have no such counts yet."""
        rows = [SQL.put_base.values(agent_id=scope.agent_id, **base.model_dump(exclude={"user_id"})) for base in bases]
        await self._database.run(scope, lambda c: c.executemany(SQL.put_base.sql, rows))

    async def repoint(self, scope: Scope, ids: Mapping[UUID, UUID], undated: Sequence[UUID] = ()) -> None:
        """Replace references to exported memories by the ids that these memories have in this database.

        `ids` maps each exported id to the id in this database. `undated` are superseded memories of an export that does
        not say when they were replaced: they are hidden from the time of their replacement on.
        """
        changed = [(old, new) for old, new in ids.items() if old != new]

        async def work(c: Connection) -> None:
            if changed:
                old_ids, new_ids = zip(*changed, strict=True)
                await c.execute(*SQL.repoint(agent_id=scope.agent_id, old_ids=list(old_ids), new_ids=list(new_ids)))
            if undated:
                await c.execute(*SQL.date_superseded(agent_id=scope.agent_id, memory_ids=list(undated)))

        await self._database.run(scope, work)


def _of_user(scope: Scope) -> str | None:
    """Return the user whose rows an export has, or None for those of all users."""
    return None if scope.sees_all else scope.key[1]


async def put_kept(c: Connection, agent_id: str, kept: Sequence[MemoryMetadata]) -> None:
    """Write the metadata of imported memories, in the transaction that stores the memories."""
    if not kept:
        return
    await c.execute(
        *SQL.put_kept(
            agent_id=agent_id,
            memory_ids=[each.id for each in kept],
            replaced_by=[each.replaced_by for each in kept],
            hidden_at=[each.hidden_at for each in kept],
            hidden_reasons=[each.hidden_reason for each in kept],
            created_at=[each.created_at for each in kept],
            updated_at=[each.updated_at for each in kept],
        ),
    )
    used = [(each.id, each.usage) for each in kept if each.usage is not None]
    await c.execute(
        *SQL.put_usage(
            agent_id=agent_id,
            memory_ids=[id for id, _ in used],
            shown=[u.shown for _, u in used],
            used=[u.used for _, u in used],
            times_shown=[u.times_shown for _, u in used],
            times_used=[u.times_used for _, u in used],
            last_at=[u.last_at for _, u in used],
        ),
    )
    changes = [(each.id, change) for each in kept for change in each.revisions]
    await c.execute(
        *SQL.put_revisions(
            agent_id=agent_id,
            memory_ids=[id for id, _ in changes],
            numbers=[change.number for _, change in changes],
            contents=[dict(change.previous) for _, change in changes],
            changed_at=[change.changed_at for _, change in changes],
        ),
    )
