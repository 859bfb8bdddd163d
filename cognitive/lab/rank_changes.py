"""Describe in plain sentences how a candidate's rank came about, from the record of its turn.

A rank by relevance becomes a rank by score through past use, similar turns, and a factor below 1. The rules of
`cognitive.context.precedence` and of `cognitive.context.duplicates` then change some ranks.
"""

from __future__ import annotations

from math import log2

from cognitive.policy import Policy
from cognitive.recording.recorded import RecordedCandidate, Recording


def describe_rank(result: RecordedCandidate, record: Recording, policy: Policy) -> list[str]:
    """Describe in sentences what changed a candidate's score, and what moved it from one rank to another.

    The list is empty if nothing did.
    """
    use, lift = _by_use(result, policy), _by_lift(result)
    return [
        part for part in (_use(result, use), _lift(lift), _lowered(result), _moved(result, record, use, lift)) if part
    ]


def _use(result: RecordedCandidate, gained: float) -> str:
    if result.boost is None or not gained:
        return ""
    return f"Having been {result.boost.past} (boost {result.boost.factor:.2f}) {_changes(gained)} its score."


def _lift(lift: float) -> str:
    if not lift:
        return ""
    did = "used it" if lift > 0 else "showed it and did not use it"
    return f"Turns like this one {did}, which {_changes(lift)} its score."


def _lowered(result: RecordedCandidate) -> str:
    return f"Its score is {result.lowered}." if result.lowered else ""


def _moved(result: RecordedCandidate, record: Recording, use: float, lift: float) -> str:
    """Describe how the rank changed: from that by relevance to that by score, and from there by rules."""
    before, rank = result.rank_before, result.rank
    scored = _rank_by_score(result, record)
    moves = []
    if scored != before:
        moves.append(f"from rank {before} to {scored} {_mover(result, use, lift, up=scored < before)}")
    if rank != scored:
        moves.append(f"from rank {scored} to {rank} {_rule(result, up=rank < scored)}")
    if moves:
        return f"It was moved {', and '.join(moves)}."
    return f"It stayed at rank {rank}." if use or lift or result.lowered else ""


def _rank_by_score(result: RecordedCandidate, record: Recording) -> int:
    """Return a candidate's rank by score, before the rules; equal scores are in the order of storage.

    It is the final rank if no rule moved a candidate.
    """
    if not any(each.moved for each in record.candidates):
        return result.rank
    stored = {memory_id: n for n, (memory_id, _) in enumerate(record.keys)}
    ordered = sorted(record.candidates, key=lambda each: (-each.score, stored[each.memory_id]))
    return ordered.index(result) + 1


def _rule(result: RecordedCandidate, *, up: bool) -> str:
    if not result.moved:
        return f"because a rule moved others {'below' if up else 'above'} it"
    return f"by {'rules' if '; ' in result.moved else 'a rule'}: {result.moved}"


def _mover(result: RecordedCandidate, use: float, lift: float, *, up: bool) -> str:
    """Return words for the cause of a change of the rank by score.

    It is the factor on the memory's score, its own use, similar turns, or what changed the scores of other memories.
    `use` and `lift` are the changes of its score by its use and by similar turns. `up` is True if the rank improved.
    """
    if result.lowered and not up:
        return "by that factor"
    if result.boost is not None:
        gained = use + lift
    else:  # of a memory of low rank, only the score is recorded
        gained = 0.0 if result.lowered else round(result.score - result.relevance, 6)
    if not (gained if up else -gained) > 0:
        return "because the scores of others changed"
    if result.boost is None:
        return "by past use"
    (_, greater), (less, lesser) = sorted(((use, "that use"), (lift, "those turns")), key=lambda each: -abs(each[0]))
    if not less:
        return f"by {greater}"
    return f"by {greater} {'more than by' if (use > 0) == (lift > 0) else 'against'} {lesser}"


def _by_use(result: RecordedCandidate, policy: Policy) -> float:
    """Return the amount by which a candidate's own past use changed its score, computed as in ranking."""
    factor = result.boost.factor if result.boost is not None else 1.0
    if policy.usage.combine == "multiply":
        return result.relevance * (factor - 1)
    return policy.usage.weight * log2(factor)


def _by_lift(result: RecordedCandidate) -> float:
    return result.boost.lift if result.boost is not None else 0.0


def _changes(gained: float) -> str:
    amount = f"{abs(gained):.3f}" if abs(gained) >= 0.0005 else "less than 0.001"
    return f"adds {amount} to" if gained > 0 else f"takes {amount} from"
