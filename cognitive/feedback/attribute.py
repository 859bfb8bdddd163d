"""Attribution: measure how much of each shown memory a response contains, and decide which memories it used.

The overlap of a memory, from 0 to 1, is measured by one of three strategies. `relative`, the default, weights words by
their rarity among the shown memories, because a word that many of them share does not show which one was used.
`windowed` and `jaccard` are older rules that a policy can select. A memory counts as used if its overlap reaches the
policy's threshold. Citations and ratings of the host override the overlap. A judgement is the result for one memory.
Memories that were not shown get no judgement.
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

_WINDOW = 2  # consecutive sentences of a response that `relative` compares; parts of a longer restatement match too
_WINDOWS = (1, 2, 3)  # numbers of consecutive sentences that `windowed` compares
_WORD = re.compile(r"\b\w{3,}\b")  # the words that `windowed` and `jaccard` compare
_FULL_MASS = 8.0  # shared idf from which certainty is 1: about four words that no other memory of the turn has
_MIN_STEMS = 3  # of a memory that a response can contain completely; two words occur together by chance
_MIN_LOCAL = 12  # minimum number of memories for the local idf; with fewer, it is computed as if there were 12

Measure = Callable[[Sequence[str], str, str], list[float]]
Deciding = Callable[[Sequence[str], Sequence[str]], Sequence[range | None]]


def overlaps(memories: Sequence[str], response: str, *, said: str = "", strategy: str = "relative") -> list[float]:
    """Return how much of each shown memory the response contains, from 0 to 1, in the order of `memories`.

    `strategy` selects one of `STRATEGIES`. `said` is the user's message. The built-in strategies also count words that
    the message contains: ignoring them was measured to lose 13 points of AUC on one data set and to gain 3 on another.
    """
    return STRATEGIES[strategy](memories, response, said)


def passages(memories: Sequence[str], response: str, *, strategy: str = "relative") -> list[tuple[int, int] | None]:
    """Return for each memory the part of the response that decided its overlap, or None for an overlap of 0.

    A part is given as [start, end) character offsets. It begins and ends with a sentence that shares a word with the
    memory.
    """
    spans = sentence_spans(response)
    split = [response[start:end] for start, end in spans]
    stems = [frozenset(lexemes(sentence)) for sentence in split]
    parts: list[tuple[int, int] | None] = []
    for memory, run in zip(memories, _DECIDING[strategy](memories, split), strict=True):
        own = frozenset(lexemes(memory))
        places = [place for place in run or () if stems[place] & own] or run
        parts.append((spans[places[0]][0], spans[places[-1]][1]) if places else None)
    return parts


@dataclass(frozen=True, slots=True)
class _Local:
    """Intermediate values of the strategy `relative`, which measures how much of each memory a response contains.

    Attributes:
        stems: the word stems of each memory.
        idf: the rarity of each stem among the memories.
        runs: for each run (two consecutive sentences of the response), its word stems that also occur in a memory.
        nearest: for each memory, the index of the run that shares most idf with it, or None if no run shares a stem.
    """

    stems: list[frozenset[str]]
    idf: Mapping[str, float]
    runs: list[frozenset[str]]
    nearest: list[int | None]


def relative(memories: Sequence[str], response: str, message: str) -> list[float]:
    """Measure how much of each memory a response contains, by words weighted with their rarity among the memories.

    Each memory is compared with every run of two sentences of the response, and the run that shares most with it
    counts. The result for the memory is √(containment · mass / best mass of the turn) · certainty, where

    - idf(w) = ln(1 + (n - df + 0.5) / (df + 0.5)), where df of the n shown memories have the stem w: the idf of BM25
      (Robertson and Zaragoza, 2009), smoothed to be positive, with the shown memories as the collection.
    - mass = the sum of the idf of the stems that the memory shares with this run.
    - containment = mass / the sum of the idf of the memory's stems.
    - certainty = mass / 8, or the square of the share of the memory's stems that the run has, whichever is larger; at
      most 1.

    The first factor is relative to the turn, in which some memory is always the best. Certainty is absolute; it lowered
    the share of unrelated responses that count as use from 3.1 % to 0.5 %. The combination is this project's own.
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


def _local(memories: Sequence[str], sentences: Sequence[str]) -> _Local:
    """Compute the intermediate values of the strategy `relative` for memories and the sentences of a response."""
    stems = [frozenset(lexemes(memory)) for memory in memories]
    frequency = Counter(stem for own in stems for stem in own)
    n = max(len(memories), _MIN_LOCAL)
    idf = {stem: math.log(1 + (n - df + 0.5) / (df + 0.5)) for stem, df in frequency.items()}
    runs = _runs([idf.keys() & lexemes(sentence) for sentence in sentences], _WINDOW)
    nearest = [
        max(masses, key=lambda run: (masses[run], -run)) if masses else None for masses in _shared(stems, runs, idf)
    ]
    return _Local(stems, idf, runs, nearest)


def _certainty(common: frozenset[str], own: frozenset[str], idf: Mapping[str, float]) -> float:
    """Return how certain it is that a memory and a run of sentences share stems by more than chance; see `relative`."""
    whole = (len(common) / len(own)) ** 2 if len(own) >= _MIN_STEMS else 0.0
    return max(whole, min(1.0, _mass(common, idf) / _FULL_MASS))


def _mass(stems: frozenset[str], idf: Mapping[str, float]) -> float:
    """Return the sum of the idf (rarity) of stems, exactly: a plain sum would depend on the order of the set."""
    return math.fsum(idf[stem] for stem in stems)


def _runs(sentences: Sequence[Set[str]], length: int) -> list[frozenset[str]]:
    """Return the words of each run of `length` consecutive sentences.

    If there are fewer sentences, they form one run.
    """
    return [frozenset().union(*sentences[n : n + length]) for n in range(max(1, len(sentences) - length + 1))]


def _shared(
    memories: Sequence[Set[str]], runs: Sequence[Set[str]], weights: Mapping[str, float]
) -> list[dict[int, float]]:
    """Sum up, for each memory and each run of sentences, the weights of the words that they share.

    Return for each memory a mapping from the run's index to the sum. Runs that share no word are missing. An index of
    the runs by word makes the time proportional to the number of shared words. Words are added in sorted order, because
    the last digit of a sum depends on the order.
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


def windowed(memories: Sequence[str], response: str, message: str) -> list[float]:
    """Measure how much of each memory a response contains, by words and short runs of sentences.

    The result for a memory is its highest Jaccard index (shared words / all words) with one to three consecutive
    sentences.
    """
    scored, _ = _by_window(memories, sentences(response))
    return [max(scores.values(), default=0.0) for scores in scored]


def _by_window(memories: Sequence[str], sentences: Sequence[str]) -> tuple[list[dict[int, float]], list[range]]:
    """Compute the Jaccard index of each memory with every window of one to three sentences that shares a word with it.

    Return for each memory a mapping from a window's number to the index. Also return the sentences of each window.
    """
    own_words, by_sentence = [_words(memory) for memory in memories], [_words(sentence) for sentence in sentences]
    runs = [(range(n, n + length), run) for length in _WINDOWS for n, run in enumerate(_runs(by_sentence, length))]
    once = dict.fromkeys(frozenset().union(*own_words), 1.0)
    counts = _shared(own_words, [run for _, run in runs], once)
    scored = [
        {place: count / (len(own) + len(runs[place][1]) - count) for place, count in own_counts.items()}
        for own, own_counts in zip(own_words, counts, strict=True)
    ]
    return scored, [places for places, _ in runs]


def jaccard(memories: Sequence[str], response: str, message: str) -> list[float]:
    """Measure how much of each memory a response contains, by the Jaccard index of both texts' words."""
    words = _words(response)
    return [_jaccard(_words(memory), words) for memory in memories]


def _words(text: str) -> frozenset[str]:
    """Return the normalised words of a text that have at least three characters."""
    return frozenset(_WORD.findall(normalise(text)))


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Jaccard index of two sets of words, |A ∩ B| / |A ∪ B|, or 0 if one is empty."""
    return len(first & second) / len(first | second) if first and second else 0.0


def _nearest_runs(memories: Sequence[str], sentences: Sequence[str]) -> Sequence[range | None]:
    """Return, for each memory, the range of the response's sentences that the strategy `relative` compared it with."""
    nearest = _local(memories, sentences).nearest
    return [range(run, min(run + _WINDOW, len(sentences))) if run is not None else None for run in nearest]


def _best_windows(memories: Sequence[str], sentences: Sequence[str]) -> Sequence[range | None]:
    """Return, for each memory, the range of the response's sentences that the strategy `windowed` compared it with."""
    scored, windows = _by_window(memories, sentences)
    best = [max(scores, key=lambda place: (scores[place], -place)) if scores else None for scores in scored]
    return [windows[place][: len(sentences)] if place is not None else None for place in best]


def _whole(memories: Sequence[str], sentences: Sequence[str]) -> Sequence[range | None]:
    """Return, for each memory, the range of the response's sentences that the strategy `jaccard` compared it with.

    It has all sentences, because the strategy compares whole texts. It is None if the response shares no word.
    """
    words = _words(" ".join(sentences))
    return [range(len(sentences)) if words & _words(memory) else None for memory in memories]


STRATEGIES: Mapping[str, Measure] = {"relative": relative, "windowed": windowed, "jaccard": jaccard}
# For each strategy, the function that returns the indexes of the sentences that an overlap was measured on.
_DECIDING: Mapping[str, Deciding] = {"relative": _nearest_runs, "windowed": _best_windows, "jaccard": _whole}


def planned_under(recorded: Mapping[str, Any] | None, current: Policy) -> Policy:
    """Return the policy that decides which memories a turn used: the recorded policy that the turn was planned with.

    If none is recorded, or this version cannot read it, return the current policy, so that no outcome is lost.
    """
    try:
        return Policy.from_record(recorded) if recorded is not None else current
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
    memory, are not judged. If redaction withheld the response, only memories that the host cites or rates are judged.
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
    """Decide for each shown memory if the response used it; citations and ratings of the host override the overlap.

    Return one judgement for each memory, in order. Memories that have been erased are left out. A turn that was not
    completed has no judgements.
    """
    return list(judge_all(shown, (), message, outcome, policy).shown)


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
        outcome.response,
        quoted=[message, *(text for call in outcome.tool_calls for text in texts(call.result))],
        recalled=[memory.content or "" for memory in present if memory.via == "recall"],
    )


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
