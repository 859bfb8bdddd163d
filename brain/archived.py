"""A memory with all that its agent keeps of it, as it leaves one database and comes into another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import Field, model_validator

from brain.errors import InvalidInput
from brain.types import Edge, MemoryType, Moment, NewMemory

Mass = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=2**63)]


class Used(Edge):
    """How often a memory was shown and used: decayed masses as of `last_at`, and counts."""

    shown: Mass
    used: Mass
    times_shown: Count
    times_used: Count
    last_at: Moment


class Change(Edge):
    """What a change of a memory replaced; see `Revision`."""

    number: Annotated[int, Field(gt=0, lt=2**31)]
    was: Mapping[str, Any]
    at: Moment


class Kept(Edge):
    """What is kept of a memory beside what it says.

    Raises:
        InvalidInput: revisions out of their order, or unknown keys.
    """

    id: UUID
    superseded_by: UUID | None = None
    created_at: Moment
    updated_at: Moment
    usage: Used | None = None
    revisions: tuple[Change, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        numbers = [change.number for change in self.revisions]
        if numbers != sorted(set(numbers)):
            raise InvalidInput("Kept.revisions: expected numbers that grow")
        return self


class Base(Edge):
    """What is usual for an agent's memories of a type: the masses that a memory's own are shrunk to."""

    type: MemoryType
    shown: Mass
    used: Mass
    decoys: Mass
    decoys_used: Mass
    last_at: Moment


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory and what is kept of it."""

    memory: NewMemory
    kept: Kept

    def require_past(self) -> None:
        """InvalidInput that names a revision of a field that no memory has, or to a value that none could have had."""
        told = {name: getattr(self.memory, name) for name in NewMemory.model_fields}
        for change in reversed(self.kept.revisions):
            told |= change.was
            try:
                NewMemory(**told)
            except InvalidInput as error:
                raise InvalidInput(f"revision {change.number}: {error}") from None
