"""Overlap: measure how much of each shown memory a response contains, from 0 to 1, by one of three strategies.

`relative`, the default, weights words by their rarity among the shown memories, because a word that many of them share
does not show which one was used. It compares numbers, dates and units in one spelling, and counts neither refusals nor
memories that the response contradicts. `windowed` and `jaccard` are older rules that a policy can select.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from functools import reduce
from typing import NamedTuple

from brain.text import lexemes, normalise, sentence_spans, sentences
from cognitive.context.refusals import without_refusals
from cognitive.context.sentences import ParsedSentence
from cognitive.feedback.contradictions import contradicts
from cognitive.feedback.spelling import parse

_WINDOWS = (1, 2, 3)  # numbers of consecutive sentences that `windowed` compares
_WORD = re.compile(r"\b\w{3,}\b")  # the words that `windowed` and `jaccard` compare
_PAIR_WEIGHT = 0.8  # of words shared with two sentences; a statement fits into one more often
_TOPIC = 0.5  # weight of words that the memory shares with the message, if the response answers it
_FULL_MASS = 8.0  # shared idf from which certainty is 1: about four words that no other memory of the turn has
_MIN_STEMS = 3  # of a memory that a response can contain completely; two words occur together by chance
_MIN_LOCAL = 12  # minimum number of memories for the local idf; with fewer, it is computed as if there were 12
_NOTHING: frozenset[str] = frozenset()

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


class _Match(NamedTuple):
    """The passage of a response that a memory is compared with.

    Attributes:
        run: the sentences of the passage.
        mass: the sum of the idf of the stems that the memory shares with the passage.
        own: the sum of the idf of the memory's stems.
        passage: the sum of the idf of the passage's stems.
        stems: the number of the memory's stems.
    """

    run: range
    mass: float
    own: float
    passage: float
    stems: int

    def overlap(self, best: float) -> float:
        """Return the overlap of the memory; `best` is the largest mass of the turn."""
        containment, precision, share = self.mass / self.own, self.mass / self.passage, self.mass / best
        whole = containment**2 if self.stems >= _MIN_STEMS else 0.0
        certainty = min(1.0, max(whole, self.mass / _FULL_MASS))
        return min(1.0, math.pow(containment * precision, 1 / 4) * math.pow(share, 1 / 3) * certainty)


def relative(memories: Sequence[str], response: str, message: str) -> list[float]:
    """Measure how much of each memory a response contains, by words weighted with their rarity among the memories.

    Each memory is compared with every sentence of the response, and with every two consecutive ones; the passage that
    shares most with it counts. The result for the memory is (containment · precision)^¼ · share^⅓ · certainty, where

    - idf(w) = ln(1 + (n - df + 0.5) / (df + 0.5)), where df of the n shown memories have the stem w: the idf of BM25
      (Robertson and Zaragoza, 2009), smoothed to be positive, with the shown memories as the collection.
    - mass = the sum of the idf of the stems that the memory shares with the passage, times 0.8 for two sentences. If
      the passage answers the message by a number or name of the memory, or with no other words than the memory's, half
      of what the memory shares with the message is added: "103 euros." says nothing without the question.
    - containment = mass / the sum of the idf of the memory's stems.
    - precision = mass / the sum of the idf of the passage's stems. With containment it makes the Ochiai coefficient.
    - share = mass / the largest mass of the turn.
    - certainty = mass / 8, or the square of containment, whichever is larger; at most 1. Some memory is always the
      best, and a long text shares words with any, so that the other factors alone credit unrelated responses.

    Clauses that refuse (see `refusals`) count as absent. A memory that its passage contradicts (see `contradictions`)
    has an overlap of 0. The combination is this project's own.
    """
    matches = _matches(memories, sentences(response), message)
    best = max((match.mass for match in matches if match), default=0.0)
    return [match.overlap(best) if match else 0.0 for match in matches]


def _matches(memories: Sequence[str], sentences: Sequence[str], message: str = "") -> list[_Match | None]:
    """Return for each memory the passage of a response that shares most with it; None if there is none.

    A passage that contradicts the memory is none.
    """
    parsed = [parse(memory) for memory in memories]
    said = [parse(sentence) for sentence in without_refusals(sentences)]
    frequency = Counter(stem for memory in parsed for stem in memory.stems)
    n = max(len(memories), _MIN_LOCAL)
    idf = _Idf({stem: _idf(n, df) for stem, df in frequency.items()}, _idf(n, 0))
    runs = [range(place, place + length) for length in (1, 2) for place in range(len(said) - length + 1)]
    stems = [_NOTHING.union(*(said[place].stems for place in run)) for run in runs]
    asked = parse(message).stems
    matches: list[_Match | None] = []
    for memory, masses in zip(parsed, _shared([memory.stems for memory in parsed], stems, idf.known), strict=True):
        weighted = {run: mass * (_PAIR_WEIGHT if len(runs[run]) == 2 else 1) for run, mass in masses.items()}
        best = max(weighted, key=lambda run: (weighted[run], -run), default=None)
        if best is None or _contradicted(memory, runs[best], said):
            matches.append(None)
            continue
        topic = _TOPIC * idf.mass(_answered(memory, stems[best], asked))
        own, passage = idf.mass(memory.stems), idf.mass(stems[best])
        matches.append(_Match(runs[best], weighted[best] + topic, own, passage + topic, len(memory.stems)))
    return matches


def _answered(memory: ParsedSentence, passage: Set[str], message: Set[str]) -> Set[str]:
    """Return the stems that a memory shares with the message only, if the passage answers the message from the memory.

    It does if it has a number or name of the memory that the message lacks, or only words of the memory: "Shellfish."
    """
    values = (memory.names | memory.subjects | set(memory.figures)) & passage
    is_answer = bool(values - message) or (passage <= memory.stems and not passage <= message)
    return (memory.stems & message) - passage if is_answer else _NOTHING


def _contradicted(memory: ParsedSentence, run: range, said: Sequence[ParsedSentence]) -> bool:
    """Return True if these sentences of a response contradict a memory, and no sentence beside them agrees."""
    passage = reduce(ParsedSentence.followed_by, (said[place] for place in run))
    nearby = _NOTHING.union(*(each.stems for each in said[max(0, run.start - 1) : run.stop + 1]))
    return contradicts(memory, passage, nearby)


class _Idf(NamedTuple):
    """The rarity of word stems among memories, and the rarity of a stem that none of them has."""

    known: Mapping[str, float]
    unknown: float

    def mass(self, stems: Set[str]) -> float:
        """Return the sum of the rarity of stems, exactly: a plain sum would depend on the order of the set."""
        return math.fsum(self.known.get(stem, self.unknown) for stem in stems)


def _idf(memories: int, containing: int) -> float:
    return math.log(1 + (memories - containing + 0.5) / (containing + 0.5))


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


def _best_runs(memories: Sequence[str], sentences: Sequence[str]) -> Sequence[range | None]:
    """Return, for each memory, the range of the response's sentences that the strategy `relative` compared it with."""
    return [match.run if match else None for match in _matches(memories, sentences)]


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
_DECIDING: Mapping[str, Deciding] = {"relative": _best_runs, "windowed": _best_windows, "jaccard": _whole}
