"""Find the memories that newer ones replace: the same attribute, another value, the same person and origin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.claims import announces_change, claim_of
from brain.store import MemoryStore
from brain.types import Memory, NewMemory
from brain.users import Scope

# What a person may have several of: another one is added, unless the statement announces a change.
_SEVERAL = re.compile(
    r"\b(?:favou?rites?|(?:dis)?lik\w+|lov\w+|enjoy\w*|hat\w+|avoid\w*|allerg\w+|hobb(?:y|ies)|interests?|types|kinds"
    r"|genres|brands)\b",
    re.IGNORECASE,
)


async def with_updates(store: MemoryStore, scope: Scope, memories: Sequence[NewMemory]) -> list[NewMemory]:
    """Return memories that are about to be stored, each with the older memory that it supersedes, if there is one.

    `scope` is the view of the user of all of these memories, or the view without a user if they are shared.

    Formed memories replace formed ones only, and those of the host the host's. Memories that name what they supersede
    stay unchanged.
    """
    claims = {claim.key for memory in memories if (claim := claim_of(memory.content, memory.speaker)) is not None}
    if not claims:
        return list(memories)
    known = await store.claiming(scope, sorted(claims))
    return [memory if memory.supersedes is not None else _superseding(memory, known) for memory in memories]


def _superseding(memory: NewMemory, known: Sequence[Memory]) -> NewMemory:
    """Return a memory that supersedes the latest of `known` with another value of the same attribute."""
    older = [each for each in known if _is_replaced(each, memory)]
    if not older:
        return memory
    latest = max(older, key=lambda each: each.occurred_at)
    return memory.model_copy(update={"supersedes": latest.id})


def _is_replaced(old: Memory, new: NewMemory) -> bool:
    one, other = claim_of(old.content, old.speaker), claim_of(new.content, new.speaker)
    if one is None or other is None or one.key != other.key or one.value == other.value:
        return False
    if _SEVERAL.search(new.content) and not announces_change(new.content):
        return False
    return _origin(old) == _origin(new) and new.occurred_at is not None and old.occurred_at < new.occurred_at


def _origin(memory: Memory | NewMemory) -> tuple[object, ...]:
    """Return what an older and a newer version of a memory have in common."""
    kind, is_formed = memory.attributes.get("kind"), "formed_by" in memory.attributes
    return memory.type, memory.trust, memory.speaker, kind, is_formed
