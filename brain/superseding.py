"""Find which memories newer ones replace, and hide them, inside the transaction that stores the newer ones.

A memory replaces those that it names in `supersedes`. Where updates are recognised, a memory is also replaced by the
earliest later one that gives the same attribute another value. This depends on when the statements were made, not on
when they were stored: an older value that is stored after a newer one is hidden from the start.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from brain import statements
from brain.claims import Claim, announces_change, claim_of, person_of
from brain.errors import InvalidInput, UnknownMemory
from brain.postgres.database import Connection
from brain.postgres.wire_types import as_value
from brain.preparing import PreparedMemory
from brain.types import MemoryType, Trust, above
from brain.users import Scope

SQL = statements.load("superseding")
_STORE = statements.load("store")

# What there may be several of: another one is added, unless the statement announces a change.
_SEVERAL = re.compile(
    r"\b(?:favou?rites?|(?:dis)?lik\w+|lov\w+|enjoy\w*|hat\w+|avoid\w*|allerg\w+|hobb(?:y|ies)|interests?|types|kinds"
    r"|genres|brands|driv(?:e|es|ing)|stud(?:y|ies|ying)|us(?:e|es|ing)(?!.* for\b)|(?:have|has|takes?) an?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Version:
    """A memory as one of several statements about an attribute: what it says, who said it and when.

    `hidden_at` is when it expires or is replaced by another version, None while it does neither.
    """

    id: UUID
    type: MemoryType
    content: str
    speaker: str | None
    trust: Trust
    attributes: Mapping[str, Any]
    occurred_at: datetime
    hidden_at: datetime | None = None

    @classmethod
    def of(cls, item: PreparedMemory) -> Version:
        """Return the version that a prepared memory is."""
        memory = item.memory
        return cls(
            item.id,
            memory.type,
            memory.content,
            memory.speaker,
            memory.trust,
            memory.attributes,
            item.occurred_at,
            memory.expires_at,
        )

    @property
    def origin(self) -> tuple[object, ...]:
        """The values that an older and a newer version have in common."""
        kind, is_formed = self.attributes.get("kind"), "formed_by" in self.attributes
        return self.type, self.trust, self.speaker, kind, is_formed


@dataclass(frozen=True, slots=True)
class Replacement:
    """The memory that replaces another one, and the time from which it does."""

    id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class _Stated:
    """A version with what it claims. With `is_only`, earlier values end; otherwise it is one of several."""

    version: Version
    claim: Claim
    is_only: bool

    def changes(self, earlier: _Stated) -> bool:
        """Return True if it states another value.

        "I'm Tom" states no other name than "I'm Tom Brandt". Only a statement that speaks of the name changes it, since
        "I'm X" may say something else.
        """
        value, before = self.claim.value, earlier.claim.value
        if self.claim.key == person_of(self.version.speaker):
            names, earlier_names = set(value.split()), set(before.split())
            says_so = "name" in self.version.content.lower() or not names.isdisjoint(earlier_names)
            return says_so and not names <= earlier_names
        return value != before


def replacements(new: Sequence[Version], stored: Sequence[Version]) -> dict[UUID, Replacement]:
    """Return what replaces versions, by their ids: the earliest later one of the same origin with another value.

    Of `stored` versions, only replacements by `new` ones are returned; the others were found when they were stored.
    """
    olds, news = _by_claim(stored), _by_claim(new)
    found: dict[UUID, Replacement] = {}
    for claim, versions in news.items():
        before = olds.get(claim, [])
        found |= _earliest(before, versions) | _earliest(versions, [*before, *versions])
    return found


def _by_claim(versions: Iterable[Version]) -> dict[tuple[object, ...], list[_Stated]]:
    """Return versions by what they have in common: their claim's key and their origin. Each text is parsed once."""
    groups: dict[tuple[object, ...], list[_Stated]] = {}
    for each in versions:
        claim = claim_of(each.content, each.speaker)
        if claim is not None:
            is_only = not _SEVERAL.search(each.content) or announces_change(each.content)
            groups.setdefault((claim.key, *each.origin), []).append(_Stated(each, claim, is_only))
    return groups


def _earliest(olds: Sequence[_Stated], others: Iterable[_Stated]) -> dict[UUID, Replacement]:
    """Return for each version the earliest later one of `others` that states another value, if there is one.

    A version that is hidden by then is not replaced.
    """
    later = sorted((each for each in others if each.is_only), key=lambda each: each.version.occurred_at)
    times = [each.version.occurred_at for each in later]
    changes = list(range(1, len(later) + 1))  # for each, the index of the next one with another value
    for n in reversed(range(len(later) - 1)):
        if later[n].claim.value == later[n + 1].claim.value:
            changes[n] = changes[n + 1]
    found = {}
    for old in olds:
        at = bisect_right(times, old.version.occurred_at)
        while at < len(later) and not later[at].changes(old):
            at = changes[at]
        if at < len(later) and (old.version.hidden_at is None or times[at] < old.version.hidden_at):
            found[old.version.id] = Replacement(later[at].version.id, times[at])
    return found


async def with_updates(
    c: Connection, scope: Scope, new: Sequence[PreparedMemory], *, detect: bool
) -> tuple[list[PreparedMemory], dict[UUID, Replacement]]:
    """Return memories that are about to be written, and what replaces them and stored ones, by id.

    Updates are recognised among formed memories and, with `detect`, among the others. A memory that names none in
    `supersedes` gets the latest of those that it replaces.

    Raises:
        UnknownMemory: a memory supersedes one that the view does not have.
        InvalidInput: a memory supersedes one of another user, or a shared one in the view of a user.
    """
    found = await _replaced_by_name(c, scope, new)
    compared = [item for item in new if item.claim is not None and (detect or "formed_by" in item.memory.attributes)]
    if not compared:
        return list(new), found
    since = min(item.occurred_at for item in compared)
    claims = sorted({item.claim for item in compared if item.claim is not None})
    rows = await c.fetch(*SQL.versions(agent_id=scope.agent_id, claims=claims, since=since))
    stored, mine = [as_value(Version, row) for row in rows], [Version.of(item) for item in compared]
    for id, by in replacements(mine, stored).items():
        if id not in found or by.at < found[id].at:
            found[id] = by
    older = _latest_replaced(found, [*stored, *mine])
    return [_with_supersedes(item, older.get(item.id)) for item in new], found


def _latest_replaced(found: Mapping[UUID, Replacement], versions: Iterable[Version]) -> dict[UUID, UUID]:
    """Return for each replacement the latest of these versions that it replaces."""
    at = {each.id: each.occurred_at for each in versions}
    return {found[id].id: id for id in sorted((id for id in found if id in at), key=at.__getitem__)}


def _with_supersedes(item: PreparedMemory, older: UUID | None) -> PreparedMemory:
    if older is None or item.memory.supersedes is not None:
        return item
    return replace(item, memory=item.memory.model_copy(update={"supersedes": older}))


async def replaceable(c: Connection, scope: Scope, superseded: Collection[UUID | None]) -> dict[UUID, Trust]:
    """Return the trust of the memories that new ones supersede; None means no memory.

    Raises:
        UnknownMemory: the view has no memory with one of these ids.
        InvalidInput: a memory has another user, or is shared and the view a user's.
    """
    named = {id for id in superseded if id is not None}
    rows = await c.fetch(*_STORE.states(agent_id=scope.agent_id, memory_ids=list(named))) if named else []
    for row in rows:
        if row["user_id"] != scope.user_id:
            raise InvalidInput(f"supersedes: memory {row['id']} has another owner; {scope} can replace only its own")
    trusts = {row["id"]: row["trust"] for row in rows}
    for missing in sorted(named - trusts.keys(), key=str):
        raise UnknownMemory(f"supersedes: {scope} has no memory {missing}")
    return trusts


async def _replaced_by_name(c: Connection, scope: Scope, new: Sequence[PreparedMemory]) -> dict[UUID, Replacement]:
    """Return the memories that new ones name in `supersedes`, each with the earliest of its replacements.

    A memory is not superseded by one of lower trust. Raises as `replaceable`.
    """
    trusts = await replaceable(c, scope, {item.memory.supersedes for item in new})
    latest_first = sorted(new, key=lambda item: item.occurred_at, reverse=True)
    return {
        old: Replacement(item.id, item.occurred_at)
        for item in latest_first
        if (old := item.memory.supersedes) is not None and not above(trusts[old], item.memory.trust)
    }


async def hide(
    c: Connection, agent_id: str, replaced: Mapping[UUID, Replacement], new: Mapping[UUID, datetime]
) -> None:
    """Hide replaced memories from their replacement on; `new` has the times of the memories just written.

    If new memories lie between two stored ones, the later stored one then supersedes the latest of them, unless the
    host named one of another claim.
    """
    if not replaced:
        return
    await c.execute(
        *_STORE.hide(
            agent_id=agent_id,
            reason="superseded",
            memory_ids=list(replaced),
            hidden_at=[each.at for each in replaced.values()],
            replaced_by=[each.id for each in replaced.values()],
        )
    )
    between = sorted((old for old, by in replaced.items() if old in new and by.id not in new), key=new.__getitem__)
    older = {replaced[old].id: old for old in between}  # of each later one, the latest
    if older:
        await c.execute(*SQL.name_older(agent_id=agent_id, older=list(older.values()), newer=list(older)))
