"""Attribution: decide which of the shown memories a response used.

A memory counts as used if its overlap with the response (see `overlap`) reaches the policy's threshold. Citations and
ratings of the host override the overlap. A judgement is the result for one memory. Memories that were not shown get no
judgement.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from brain.errors import PolicyError
from brain.judgements import Decoy, ExposureRow, Judgement, TurnJudgement, UsageWeights
from brain.redacting import WITHHELD
from brain.types import MemoryType
from cognitive.feedback.overlap import overlaps
from cognitive.feedback.strip_quotes import own_words, texts
from cognitive.policy import Policy
from cognitive.turn import Attribution, Outcome

log = logging.getLogger(__name__)

# A turn is judged inside the transaction that holds its agent's lock, so that the time must be bounded. No model writes
# this much; a longer text is a host's mistake or an attack. Its two ends are judged, since one has the answer.
MAX_JUDGED_END = 100_000  # characters
MAX_JUDGED_RESULTS = 2_000_000  # characters of all tool results of a turn; the latest ones are read


def planned_under(recorded: Mapping[str, Any] | None, current: Policy) -> Policy:
    """Return the policy that decides which memories a turn used: the recorded policy that the turn was planned with.

    If none is recorded, or this version cannot read it, return the current policy, so that no outcome is lost.
    """
    if recorded is None or recorded == current.content:
        return current
    try:
        return Policy.from_record(recorded)
    except PolicyError as error:
        log.warning("the recorded policy of a turn cannot be read; the turn is judged by the current one: %s", error)
        return current


def weights(policy: Policy) -> UsageWeights:
    """Return a policy's settings for counting uses of memories: the half-life of a use and the weight of ratings."""
    return UsageWeights(policy.usage.half_life_days, policy.feedback.rating_weight)


def judge_all(
    shown: Sequence[ExposureRow], decoys: Sequence[Decoy], message: str, outcome: Outcome, policy: Policy
) -> TurnJudgement:
    """Decide which of a turn's shown memories its response used, and decide the same for its decoys.

    Decoys are memories that were not shown; the share of them that seems used shows how often a verdict is chance. They
    are judged by overlap only, and not at all if the host gives citations. Turns that are not completed, or showed no
    memory, are not judged. Of very long texts, only parts are read. If redaction withheld the response, only memories
    that the host cites or rates are judged.
    """
    present = [memory for memory in shown if memory.content is not None]
    if outcome.response == WITHHELD:
        present, decoys = [memory for memory in present if _host_says(memory, outcome)], ()
    if outcome.status != "completed" or not present:
        return TurnJudgement((), weights(policy))
    message = _ends(message)
    written = _own_words(present, message, outcome)
    measured = () if outcome.citations else credited(decoys, present, written, message, policy)
    return TurnJudgement(_judged(present, written, message, outcome, policy), weights(policy), measured)


def _judged(
    present: Sequence[ExposureRow], written: str, message: str, outcome: Outcome, policy: Policy
) -> list[Judgement]:
    """Decide for each memory in `present` (those not erased since the turn) if the response, `written`, used it."""
    measured = overlaps(
        [_as_rendered(memory) for memory in present], written, said=message, strategy=policy.feedback.attribution
    )
    judgements = []
    for memory, overlap in zip(present, measured, strict=True):
        used, rating = _used(memory, overlap, outcome, policy), outcome.ratings.get(memory.memory_id)
        judgements.append(Judgement(memory.memory_id, overlap, used, rating, memory.type))
    return judgements


def credited(
    decoys: Sequence[Decoy], present: Sequence[ExposureRow], written: str, message: str, policy: Policy
) -> list[tuple[MemoryType, bool]]:
    """Return for each decoy (a memory that was not shown) its type, and True if the response seems to have used it.

    The overlap is measured as if the decoys had been shown together with the memories in `present`.
    """
    if not decoys:
        return []
    memories = [*map(_as_rendered, decoys), *map(_as_rendered, present)]
    measured = overlaps(memories, written, said=message, strategy=policy.feedback.attribution)
    return [
        (decoy.type, overlap >= policy.attribution_threshold) for decoy, overlap in zip(decoys, measured, strict=False)
    ]


def _own_words(present: Sequence[ExposureRow], message: str, outcome: Outcome) -> str:
    """Return the response without quotations of the user's message or tool results.

    Quotations of memories that the recall tool returned are kept, because quoting such a memory means using it.
    """
    return own_words(
        _ends(outcome.response),
        quoted=[message, *_results(outcome)],
        recalled=[memory.content or "" for memory in present if memory.via == "recall"],
    )


def _results(outcome: Outcome) -> Iterator[str]:
    """Yield the texts in the results of a turn's tool calls, the last call first, up to MAX_JUDGED_RESULTS."""
    room = MAX_JUDGED_RESULTS
    for call in reversed(outcome.tool_calls):
        for text in map(_ends, texts(call.result)):
            room -= len(text)
            if room < 0:
                return
            yield text


def _ends(text: str) -> str:
    """Return a text, or the first and last MAX_JUDGED_END characters of a longer one, as two lines."""
    if len(text) <= 2 * MAX_JUDGED_END:
        return text
    return f"{text[:MAX_JUDGED_END]}\n{text[-MAX_JUDGED_END:]}"


def _host_says(memory: ExposureRow, outcome: Outcome) -> bool:
    """Return True if citations or a rating of the host decide whether a memory was used."""
    return bool(outcome.citations) or memory.memory_id in outcome.ratings or memory.rating is not None


def _used(memory: ExposureRow, overlap: float, outcome: Outcome, policy: Policy) -> bool:
    """Return True if a memory counts as used: by its rating, else by the host's citations, else by the overlap."""
    if memory.memory_id in outcome.ratings:
        return outcome.ratings[memory.memory_id]
    if memory.rating is not None:
        return memory.rating
    if outcome.citations:
        return memory.memory_id in outcome.citations
    return overlap >= policy.attribution_threshold


def attributions(judgements: Sequence[Judgement]) -> tuple[Attribution, ...]:
    """Return judgements in the form in which the public API reports them."""
    return tuple(Attribution(j.memory_id, float(j.overlap), j.used, j.type) for j in judgements)


def _as_rendered(memory: ExposureRow | Decoy) -> str:
    """Return a memory's text as the prompt shows it, with its speaker."""
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content or ""
