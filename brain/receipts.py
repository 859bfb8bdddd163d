"""The receipt of an erasure, and its entry in the log of erasures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an erasure: how many rows of each kind were deleted or changed.

    `policies` are saved policies and activations, `journaled` turns in the journal of this machine, and `responses` the
    recorded responses that may have contained text of an erased memory. `turns_cut`, `sessions_cut`, `subtasks_cut`,
    `notes_cut` (notes of policies) and `memories_cut` count the rows that were kept without the erased text. `restated`
    counts the memories that have the text of an erased one, but were kept: the host stored them, and did not ask to
    erase them. `user_id` is the user whose memories or rows were erased, None for shared memories or an agent.
    """

    agent_id: str
    memories: int
    passages: int
    embeddings: int
    postings: int
    exposures: int
    usage: int
    revisions: int = 0
    turns: int = 0
    sessions: int = 0
    artifacts: int = 0
    subtasks: int = 0
    policies: int = 0
    journaled: int = 0
    responses: int = 0
    turns_cut: int = 0
    sessions_cut: int = 0
    subtasks_cut: int = 0
    notes_cut: int = 0
    memories_cut: int = 0
    restated: int = 0
    user_id: str | None = None


def total(agent_id: str, receipts: Sequence[Receipt]) -> Receipt:
    """Return one receipt for the erased memories of several users; the only receipt stays as it is."""
    if len(receipts) == 1:
        return receipts[0]
    names = [each.name for each in fields(Receipt) if each.name not in ("agent_id", "user_id")]
    added: dict[str, Any] = {name: sum(getattr(receipt, name) for receipt in receipts) for name in names}
    return Receipt(agent_id, **added)


@dataclass(frozen=True, slots=True)
class Erasure:
    """An entry of the log of erasures: an agent, a user, some memories, or data past its retention was erased.

    `counts` has the number of deleted rows of each kind. `user_id` is the user whose rows they were, None for shared
    memories, an agent or retention.
    """

    at: datetime
    what: Literal["agent", "user", "memories", "retention"]
    counts: Mapping[str, int]
    user_id: str | None = None
