"""Which shown memories did the response use? Overlap measures by name, and from them one judgement for each memory.

The host's citations and ratings outrank the overlap. What was not shown is not judged.

`relative` is the default: weights local to the turn, since a word that many shown memories share says nothing about
which of them was used. The mission's rule (`windowed`) and the seed's (`jaccard`) stay selectable.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from brain.errors import PolicyError
from brain.redacting import WITHHELD
from brain.text import lexemes, normalise, sentence_spans, sentences
from brain.turn_records import Decoy, ExposureRow, Judgement, TurnJudgement, UsageWeights
from brain.types import MemoryType
from cognitive.feedback.strip_quotes import own_words, texts
from cognitive.policy import Policy
from cognitive.turn import Attribution, Outcome

log = logging.getLogger(__name__)

_WINDOW = 2  # consecutive response sentences; a longer restatement is found by its parts
_WINDOWS = (1, 2, 3)  # the mission's
_SEED_WORD = re.compile(r"\b\w{3,}\b")
_FULL_MASS = 8.0  # idf units, about four words that no other memory of the turn has; less proves accordingly less
_MIN_STEMS = 3  # of a memory that a reply can be said to hold whole: two words stand together by chance
_MIN_LOCAL = 12  # memories; with fewer, local document frequencies are taken as if there were this many

Measure = Callable[[Sequence[str], str, str], list[float]]
Deciding = Callable[[Sequence[str], Sequence[str]], Sequence[range | None]]


def overlaps(memories: Sequence[str], response: str, *, said: str = "", strategy: str = "relative") -> list[float]:
    """How much of each shown memory the response holds, in [0, 1], in the order given.

    `said` is the user's own message; no default strategy subtracts it, since its topic words are evidence too
    (subtracting them was measured to cost 13 points of AUC on one set and to gain 3 on another).
    """
    return STRATEGIES[strategy](memories, response, said)


def passages(memories: Sequence[str], response: str, *, strategy: str = "relative") -> list[tuple[int, int] | None]:
    """For each memory the offsets [start, end) of the passage of the response that its overlap was measured on, in the
    order given; None where that is 0.

    Of the sentences that were measured together, those from the first to the last that share a word with the memory.
    """
    spans = sentence_spans(response)
    spoken = [response[start:end] for start, end in spans]
    stems = [frozenset(lexemes(sentence)) for sentence in spoken]
    found: list[tuple[int, int] | None] = []
    for memory, run in zip(memories, _DECIDING[strategy](memories, spoken), strict=True):
        own = frozenset(lexemes(memory))
        places = [place for place in run or () if stems[place] & own] or run
        found.append((spans[places[0]][0], spans[places[-1]][1]) if places else None)
    return found


@dataclass(frozen=True, slots=True)
class _Local:
    """The stems of a turn's memories, their local idf, the runs of its response, and for each memory the run that
    shares most with it, None where none shares anything.
    """

    stems: list[frozenset[str]]
    idf: Mapping[str, float]
    runs: list[frozenset[str]]
    nearest: list[int | None]


def relative(memories: Sequence[str], response: str, said: str) -> list[float]:
    """√(containment · mass ÷ best mass of the turn) · certainty, in local idf, over runs of response sentences.

    local idf(w) = ln(1 + (n - df + .5) / (df + .5)), n memories shown, df of them with stem w; mass = Σ idf of the
    stems shared with the run; containment = mass / Σ idf of the memory's stems. Certainty is absolute, since something
    is always the best of a turn: mass ÷ 8, or the square of the share of the memory's stems, if that is more. It cut
    the false credit for unrelated replies from 3.1 % to 0.5 %.
    """
    local = _local(memories, sentences(response))
    shared = [
        own & local.runs[run] if run is not None else frozenset()
        for own, run in zip(local.stems, local.nearest, strict=True)
    ]
    idf = local.idf
    best = max((_mass(common, idf) for common in shared), default=0.0)
    return [
        min(1.0, math.sqrt(_mass(common, idf) ** 2 / (_mass(own, idf) * best)) * _certainty(common, own, idf))
        if common
        else 0.0
        for common, own in zip(shared, local.stems, strict=True)
    ]


def _local(memories: Sequence[str], spoken: Sequence[str]) -> _Local:
    stems = [frozenset(lexemes(memory)) for memory in memories]
    frequency = Counter(stem for own in stems for stem in own)
    n = max(len(memories), _MIN_LOCAL)
    idf = {stem: math.log(1 + (n - df + 0.5) / (df + 0.5)) for stem, df in frequency.items()}
    runs = _runs([idf.keys() & lexemes(sentence) for sentence in spoken], _WINDOW)
    nearest = [
        max(masses, key=lambda run: (masses[run], -run)) if masses else None for masses in _shared(stems, runs, idf)
    ]
    return _Local(stems, idf, runs, nearest)


def _certainty(common: frozenset[str], own: frozenset[str], idf: Mapping[str, float]) -> float:
    whole = (len(common) / len(own)) ** 2 if len(own) >= _MIN_STEMS else 0.0
    return max(whole, min(1.0, _mass(common, idf) / _FULL_MASS))


def _mass(stems: frozenset[str], idf: Mapping[str, float]) -> float:
    """The sum of idf, exact: a set's order, and with it a plain sum's last digit, depends on the process."""
    return math.fsum(idf[stem] for stem in stems)


def _runs(sentences: Sequence[Set[str]], length: int) -> list[frozenset[str]]:
    """The words of each run of so many consecutive sentences, or of all there are."""
    return [frozenset().union(*sentences[n : n + length]) for n in range(max(1, len(sentences) - length + 1))]


def _shared(
    memories: Sequence[Set[str]], runs: Sequence[Set[str]], weights: Mapping[str, float]
) -> list[dict[int, float]]:
    """For each memory, by number of the run, the weight of the words it shares with it, where it shares any.

    Each word is looked up in an index of the runs, so that the time grows with what is shared and not with memories
    times runs; in sorted order, since a sum's last digit depends on it.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        for word in run:
            places[word].append(place)
    shared: list[dict[int, float]] = []
    for own in memories:
        sums: dict[int, float] = defaultdict(float)
        for word in sorted(own & places.keys()):
            for place in places[word]:
                sums[place] += weights[word]
        shared.append(sums)
    return shared


def windowed(memories: Sequence[str], response: str, said: str) -> list[float]:
    """The mission's rule: Jaccard of words, as the maximum over one to three consecutive response sentences."""
    scored, _ = _by_window(memories, sentences(response))
    return [max(scores.values(), default=0.0) for scores in scored]


def _by_window(memories: Sequence[str], spoken: Sequence[str]) -> tuple[list[dict[int, float]], list[range]]:
    """For each memory its Jaccard with each window that shares a word with it, and the windows' sentences."""
    known, said = [_seed_words(memory) for memory in memories], [_seed_words(sentence) for sentence in spoken]
    runs = [(range(n, n + length), run) for length in _WINDOWS for n, run in enumerate(_runs(said, length))]
    once = dict.fromkeys(frozenset().union(*known), 1.0)
    counts = _shared(known, [run for _, run in runs], once)
    scored = [
        {place: count / (len(own) + len(runs[place][1]) - count) for place, count in own_counts.items()}
        for own, own_counts in zip(known, counts, strict=True)
    ]
    return scored, [places for places, _ in runs]


def jaccard(memories: Sequence[str], response: str, said: str) -> list[float]:
    """The seed's rule: Jaccard of the words of the memory and of the whole response."""
    spoken = _seed_words(response)
    return [_jaccard(_seed_words(memory), spoken) for memory in memories]


def _seed_words(text: str) -> frozenset[str]:
    return frozenset(_SEED_WORD.findall(normalise(text)))


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first and second else 0.0


def _nearest_runs(memories: Sequence[str], spoken: Sequence[str]) -> Sequence[range | None]:
    nearest = _local(memories, spoken).nearest
    return [range(run, min(run + _WINDOW, len(spoken))) if run is not None else None for run in nearest]


def _best_windows(memories: Sequence[str], spoken: Sequence[str]) -> Sequence[range | None]:
    scored, windows = _by_window(memories, spoken)
    best = [max(scores, key=lambda place: (scores[place], -place)) if scores else None for scores in scored]
    return [windows[place][: len(spoken)] if place is not None else None for place in best]


def _whole(memories: Sequence[str], spoken: Sequence[str]) -> Sequence[range | None]:
    said = _seed_words(" ".join(spoken))
    return [range(len(spoken)) if said & _seed_words(memory) else None for memory in memories]


STRATEGIES: Mapping[str, Measure] = {"relative": relative, "windowed": windowed, "jaccard": jaccard}
# Of each strategy: the sentences, by their places, that a memory's overlap was measured on.
_DECIDING: Mapping[str, Deciding] = {"relative": _nearest_runs, "windowed": _best_windows, "jaccard": _whole}


def planned_under(recorded: Mapping[str, Any] | None, holds: Policy) -> Policy:
    """The policy that a turn is judged by: its own, as it was recorded, whatever was chosen since.

    The one that holds, where the record has none that this version can read: an outcome is not lost for that.
    """
    try:
        return Policy.from_record(recorded) if recorded is not None else holds
    except PolicyError as error:
        log.warning("a turn is judged by the policy that holds: %s", error)
        return holds


def weights(policy: Policy) -> UsageWeights:
    """How verdicts on a turn of this policy are counted."""
    return UsageWeights(policy.usage.half_life_days, policy.feedback.rating_weight)


def judge_all(
    shown: Sequence[ExposureRow], decoys: Sequence[Decoy], message: str, outcome: Outcome, policy: Policy
) -> TurnJudgement:
    """What is to be counted of a turn: judgements on what it showed, and on its decoys.

    Decoys are judged where the overlap was: not where nothing was shown, or the host said itself what was used. A
    response that was withheld is evidence for nothing and against nothing: then the host's word is all that counts.
    """
    present = [memory for memory in shown if memory.content is not None]
    if outcome.response == WITHHELD:
        present, decoys = [memory for memory in present if _host_says(memory, outcome)], ()
    if outcome.status != "completed" or not present:
        return TurnJudgement((), weights(policy))
    written = _own_words(present, message, outcome)
    measured = () if outcome.citations else credited(decoys, present, written, message, policy)
    return TurnJudgement(_judged(present, written, message, outcome, policy), weights(policy), measured)


def judge(shown: Sequence[ExposureRow], message: str, outcome: Outcome, policy: Policy) -> list[Judgement]:
    """One judgement per shown memory, in their order. The host's citations and ratings outrank the overlap.

    A memory that was erased meanwhile is judged by nothing and left out. Only a completed turn has judgements.
    """
    return list(judge_all(shown, (), message, outcome, policy).shown)


def _judged(
    present: Sequence[ExposureRow], written: str, message: str, outcome: Outcome, policy: Policy
) -> list[Judgement]:
    measured = overlaps(
        [_spoken(memory) for memory in present], written, said=message, strategy=policy.feedback.attribution
    )
    judgements = []
    for memory, overlap in zip(present, measured, strict=True):
        used, rating = _used(memory, overlap, outcome, policy), outcome.ratings.get(memory.memory_id)
        judgements.append(Judgement(memory.memory_id, overlap, used, rating, memory.type))
    return judgements


def credited(
    decoys: Sequence[Decoy], present: Sequence[ExposureRow], written: str, message: str, policy: Policy
) -> list[tuple[MemoryType, bool]]:
    """Of each decoy its type and whether the overlap credits it, measured among what was shown as if shown with it."""
    if not decoys:
        return []
    spoken = [*map(_spoken, decoys), *map(_spoken, present)]
    measured = overlaps(spoken, written, said=message, strategy=policy.feedback.attribution)
    return [
        (decoy.type, overlap >= policy.attribution_threshold) for decoy, overlap in zip(decoys, measured, strict=False)
    ]


def _own_words(present: Sequence[ExposureRow], message: str, outcome: Outcome) -> str:
    """What the model wrote itself: neither the user's message echoed nor tool output, save what the memory gave it."""
    return own_words(
        outcome.response,
        quoted=[message, *(text for call in outcome.tool_calls for text in texts(call.result))],
        recalled=[memory.content or "" for memory in present if memory.via == "recall"],
    )


def _host_says(memory: ExposureRow, outcome: Outcome) -> bool:
    """Whether the host says itself if a memory was used."""
    return bool(outcome.citations) or memory.memory_id in outcome.ratings or memory.rating is not None


def _used(memory: ExposureRow, overlap: float, outcome: Outcome, policy: Policy) -> bool:
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


def _spoken(memory: ExposureRow | Decoy) -> str:
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content or ""
