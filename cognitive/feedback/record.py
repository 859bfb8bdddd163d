"""From a response to what is counted: judgements on the memories that were shown, and on no others."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from brain.errors import PolicyError
from brain.ledger import Decoy, Judged, Judgement, Shown, Weights
from brain.redacting import WITHHELD
from brain.types import MemoryType
from cognitive.feedback.attribute import overlaps
from cognitive.feedback.authored import authored, texts
from cognitive.policy import Policy
from cognitive.turn import Attribution, Outcome

log = logging.getLogger(__name__)


def planned_under(recorded: Mapping[str, Any] | None, holds: Policy) -> Policy:
    """The policy that a turn is judged by: its own, as it was recorded, whatever was chosen since.

    The one that holds, where the record has none that this version can read: an outcome is not lost for that.
    """
    try:
        return Policy.from_record(recorded) if recorded is not None else holds
    except PolicyError as error:
        log.warning("a turn is judged by the policy that holds: %s", error)
        return holds


def weights(policy: Policy) -> Weights:
    """How verdicts on a turn of this policy are counted."""
    return Weights(policy.half_life_days, policy.rating_weight)


def judge_all(
    shown: Sequence[Shown], decoys: Sequence[Decoy], message: str, outcome: Outcome, policy: Policy
) -> Judged:
    """What is to be counted of a turn: judgements on what it showed, and on its decoys.

    Decoys are judged where the overlap was: not where nothing was shown, or the host said itself what was used. A
    response that was withheld is evidence for nothing and against nothing: then the host's word is all that counts.
    """
    present = [memory for memory in shown if memory.content is not None]
    if outcome.response == WITHHELD:
        present, decoys = [memory for memory in present if _told(memory, outcome)], ()
    if outcome.status != "completed" or not present:
        return Judged((), weights(policy))
    written = _authored(present, message, outcome)
    measured = () if outcome.citations else credited(decoys, present, written, message, policy)
    return Judged(_judged(present, written, message, outcome, policy), weights(policy), measured)


def judge(shown: Sequence[Shown], message: str, outcome: Outcome, policy: Policy) -> list[Judgement]:
    """One judgement per shown memory, in their order. The host's citations and ratings outrank the overlap.

    A memory that was erased meanwhile is judged by nothing and left out. Only a completed turn has judgements.
    """
    return list(judge_all(shown, (), message, outcome, policy).shown)


def _judged(present: Sequence[Shown], written: str, message: str, outcome: Outcome, policy: Policy) -> list[Judgement]:
    measured = overlaps([_spoken(memory) for memory in present], written, said=message, strategy=policy.attribution)
    judgements = []
    for memory, overlap in zip(present, measured, strict=True):
        used, rating = _used(memory, overlap, outcome, policy), outcome.ratings.get(memory.memory_id)
        judgements.append(Judgement(memory.memory_id, overlap, used, rating, memory.type))
    return judgements


def credited(
    decoys: Sequence[Decoy], present: Sequence[Shown], written: str, message: str, policy: Policy
) -> list[tuple[MemoryType, bool]]:
    """Of each decoy its type and whether the overlap credits it, measured among what was shown as if shown with it."""
    if not decoys:
        return []
    spoken = [*map(_spoken, decoys), *map(_spoken, present)]
    measured = overlaps(spoken, written, said=message, strategy=policy.attribution)
    return [
        (decoy.type, overlap >= policy.attribution_threshold) for decoy, overlap in zip(decoys, measured, strict=False)
    ]


def _authored(present: Sequence[Shown], message: str, outcome: Outcome) -> str:
    """What the model wrote itself: neither the user's message echoed nor tool output, save what the memory gave it."""
    return authored(
        outcome.response,
        quoted=[message, *(text for call in outcome.tool_calls for text in texts(call.result))],
        recalled=[memory.content or "" for memory in present if memory.via == "recall"],
    )


def _told(memory: Shown, outcome: Outcome) -> bool:
    """Whether the host says itself if a memory was used."""
    return bool(outcome.citations) or memory.memory_id in outcome.ratings or memory.rating is not None


def _used(memory: Shown, overlap: float, outcome: Outcome, policy: Policy) -> bool:
    """The verdict, from what knows it best: a rating, the host's citations, or else the overlap."""
    if memory.memory_id in outcome.ratings:
        return outcome.ratings[memory.memory_id]
    if memory.rating is not None:
        return memory.rating
    if outcome.citations:
        return memory.memory_id in outcome.citations
    return overlap >= policy.attribution_threshold


def attributions(judgements: Sequence[Judgement]) -> tuple[Attribution, ...]:
    """The public form of judgements."""
    return tuple(Attribution(j.memory_id, float(j.overlap), j.used, j.type) for j in judgements)


def _spoken(memory: Shown | Decoy) -> str:
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content or ""
