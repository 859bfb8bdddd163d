"""Fold the candidates of a recall: of lines that say the same in nearly the same words, keep the best with a count.

Conversations repeat themselves: a store has "Thanks, noted!" forty times. These lines must not fill a recall's limit.
Unlike the deduplication of a turn, folding keeps a statement in other words, because a search may look for it.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from brain.caches import cached
from brain.text import words
from cognitive.context.guards import first_guard
from cognitive.context.lexicon import canonical
from cognitive.context.sentences import ParsedSentence
from cognitive.trace import Candidate

_MAX_READ = 8_192  # texts whose stems are cached, because an agent's recalls find the same memories again


@dataclass(slots=True)
class Folded:
    """The best candidate of a group of near-identical lines, and all candidates of the group, itself included."""

    best: Candidate
    group: list[Candidate]


def fold(candidates: Sequence[Candidate]) -> list[Folded]:
    """Group near-identical candidates, best first; a group has the place of its best candidate.

    Near-identical lines have the same word stems, whatever their case, marks and stop words, and no guard finds a
    difference, such as a negation. They are of one memory type and one speaker, have the same attributes, and are all
    visible or all hidden. Unless they are episodes, whose sources name turns, they are also of one source. A passage of
    a longer memory is alone in its group, because the rest of its memory may differ.
    """
    by_key: dict[Hashable, list[Folded]] = {}
    folded: list[Folded] = []
    for candidate in candidates:
        alike = by_key.setdefault(_key(candidate), [])
        same = next((each for each in alike if _same(each.best, candidate)), None)
        if same is None:
            same = Folded(candidate, [])
            alike.append(same)
            folded.append(same)
        same.group.append(candidate)
    return folded


def _key(candidate: Candidate) -> Hashable:
    hit = candidate.hit
    if hit.partial:
        return hit.memory_id
    attributes = json.dumps(hit.attributes, sort_keys=True, default=str) if hit.attributes else ""
    speaker = hit.speaker.casefold() if hit.speaker else None
    source = hit.source if hit.type != "episode" else None
    return hit.type, speaker, source, hit.hidden_reason, attributes, _stems(hit.content)


@cached(_MAX_READ)
def _stems(content: str) -> Hashable:
    """Return the stems of a text's words, or all words in order if it consists of stop words."""
    said = words(content)
    return frozenset(filter(None, map(canonical, said))) or tuple(said)


def _same(one: Candidate, other: Candidate) -> bool:
    """Return True if no guard finds a difference between two texts of the same stems, in either direction."""
    first, second = (ParsedSentence.of(each.hit.content, None, each.hit.speaker) for each in (one, other))
    return first.words == second.words or (first_guard(first, second) is None and first_guard(second, first) is None)
