"""Nothing is shown twice: what the conversation window says already, and what another candidate says better.

Two texts say the same if their vectors agree or the one's stems stand in the other, and nothing speaks against it:
near-twins that differ in a number, a negation or a name ("30 days" and "90 days") score 0.98 and are different facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from brain.search import Hit
from brain.text import as_lexeme, sentences, words
from brain.types import Vector
from cognitive.policy import Policy
from cognitive.trace import Candidate, Disposition, Fate, Likeness, Sifted

_NEGATIONS = frozenset(
    """no not never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
    weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't stop stopped disable disabled off failed
    refuses""".split()
)
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
# Words that say how much, in what, or when, as figures do.
_QUANTITIES = frozenset(
    """one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty ninety hundred
    thousand million half quarter double second seconds minute minutes hour hours day days week weeks month months
    year years monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december morning noon afternoon evening night bytes kb mb gb tb euro euros
    dollar dollars percent first last""".split()
)
_DIRECTIONS = frozenset("from to before after than over under by until instead".split())
_NAME = re.compile(r"\b[A-Z][\w-]+")
# Of the window this much is compared: a message of megabytes must not cost the turn its deadline.
_MOST_OF_A_MESSAGE = 20_000
_MOST_SENTENCES = 120
_LONGEST_SENTENCE = 2_000
_CLOSERS = "\"'”’)]"
_FEWEST_STEMS = 3  # fewer prove nothing: "yes, please" stands in every conversation
_DIGITS = 6  # of a likeness


@dataclass(frozen=True, slots=True)
class Statement:
    """A text reduced to what the comparison needs.

    `names` stand in the order of the text; so do the stems in `directed`, which only a text with a direction has.
    """

    stems: frozenset[str]
    figures: frozenset[str]
    names: tuple[str, ...]
    negated: bool
    directed: tuple[str, ...] = ()
    speaker: str | None = None
    vector: Vector | None = None

    @classmethod
    def of(cls, text: str, vector: Vector | None = None, speaker: str | None = None) -> Statement:
        """Reads a text once."""
        spoken = words(text)
        names = (as_lexeme(name) for capitalised in _NAME.findall(text) for name in words(capitalised))
        return cls(
            frozenset(lexeme for word in spoken if (lexeme := as_lexeme(word))),
            frozenset(_FIGURE.findall(text)) | _QUANTITIES.intersection(spoken),
            tuple(dict.fromkeys(name for name in names if name)),
            not _NEGATIONS.isdisjoint(spoken),
            _directed(spoken),
            speaker,
            vector,
        )

    def followed_by(self, other: Statement) -> Statement:
        """Both as one, by their words."""
        return Statement(
            self.stems | other.stems,
            self.figures | other.figures,
            tuple(dict.fromkeys(self.names + other.names)),
            self.negated or other.negated,
        )


Compare = Callable[[Hit, Statement], Likeness | None]


def window_sentences(messages: Sequence[str]) -> list[str]:
    """What the window states, oldest first: its last sentences without the questions, which state nothing."""
    stated = [
        sentence[:_LONGEST_SENTENCE]
        for message in messages
        for sentence in sentences(message[-_MOST_OF_A_MESSAGE:])
        if not sentence.rstrip(_CLOSERS).endswith(("?", "？"))
    ]
    return stated[-_MOST_SENTENCES:]


def window_statements(stated: Sequence[str], vectors: Mapping[str, Vector]) -> list[Statement]:
    """The sentences of the window with their vectors, and each pair of neighbours, which may say it together."""
    single = [Statement.of(sentence, vectors.get(sentence)) for sentence in stated]
    return single + [first.followed_by(second) for first, second in pairwise(single)]


def likeness(memory: Statement, window: Sequence[Statement]) -> Likeness:
    """How nearly the window says what a memory says, whatever a policy makes of that.

    Rounded, so that what is compared now and what is recorded of it are the same number.
    """
    cosine, containment = None, 0.0
    for other in window:
        meant, said = _cosine(memory, other), _containment(memory, other)
        nearer = meant is not None and (cosine is None or meant > cosine)
        if (nearer or said > containment) and not _differs(memory, other):
            cosine = meant if nearer else cosine
            containment = max(containment, said)
    return Likeness(None if cosine is None else round(cosine, _DIGITS), round(containment, _DIGITS))


def drop_said(candidates: Sequence[Candidate], compare: Compare, policy: Policy) -> Sifted:
    """Drops what the window says already, and what a better candidate says.

    `compare` gives a memory's likeness to the window, None if that is not known: such a memory is kept. One that is
    dropped for the window's sake is eligible again once its twin has scrolled out.
    """
    kept: list[Candidate] = []
    seen: list[Statement] = []
    dropped: list[Fate] = []
    for given in candidates:
        own = Statement.of(given.hit.content, given.hit.vector, given.hit.speaker)
        candidate = replace(given, likeness=compare(given.hit, own))
        fate = _restated(candidate, own, policy) or _duplicate(candidate, own, seen, policy)
        if fate is not None:
            dropped.append(fate)
            continue
        kept.append(candidate)
        seen.append(own)
    return Sifted(tuple(kept), tuple(dropped))


def _restated(candidate: Candidate, own: Statement, policy: Policy) -> Fate | None:
    return _fate(candidate, own, candidate.likeness, policy, "restated", "the conversation says it")


def _duplicate(candidate: Candidate, own: Statement, seen: Sequence[Statement], policy: Policy) -> Fate | None:
    return _fate(candidate, own, likeness(own, seen), policy, "duplicate", "a better candidate says it")


def _fate(
    candidate: Candidate,
    own: Statement,
    like: Likeness | None,
    policy: Policy,
    disposition: Disposition,
    because: str,
) -> Fate | None:
    verdict = same(own, like, policy) if like is not None else None
    if verdict is None:
        return None
    measure, value = verdict
    return Fate(candidate, disposition, value, f"{because} ({measure} {value:.2f})")


def same(memory: Statement, like: Likeness, policy: Policy) -> tuple[str, float] | None:
    """The measure and value by which a policy takes a memory for said, or None if it does not."""
    if like.cosine is not None and like.cosine > policy.dedup_threshold:
        return "cosine", like.cosine
    threshold = policy.unembedded_threshold if memory.vector is None else policy.containment_threshold
    return ("containment", like.containment) if like.containment >= threshold and like.containment > 0 else None


def _cosine(memory: Statement, other: Statement) -> float | None:
    if memory.vector is None or other.vector is None:
        return None
    return float(np.dot(memory.vector, other.vector))


def _containment(memory: Statement, other: Statement) -> float:
    """The share of a memory's stems that the other text has; of too few stems it proves nothing."""
    if len(memory.stems) < _FEWEST_STEMS:
        return 0.0
    return len(memory.stems & other.stems) / len(memory.stems)


def _directed(spoken: Sequence[str]) -> tuple[str, ...]:
    if _DIRECTIONS.isdisjoint(spoken):
        return ()
    return tuple(lexeme for word in spoken if (lexeme := word if word in _DIRECTIONS else as_lexeme(word)))


def _differs(memory: Statement, other: Statement) -> bool:
    """Whether anything of the memory speaks against the other text's saying the same."""
    if memory.figures - other.figures or memory.negated != other.negated:
        return True
    if memory.speaker is not None and other.speaker is not None and memory.speaker != other.speaker:
        return True
    if not other.stems.issuperset(memory.names):
        return True
    return _one_word_swapped(memory, other) or _turned_round(memory, other)


def _one_word_swapped(memory: Statement, other: Statement) -> bool:
    """Texts that are equal but for one word say different things: whoever restates changes more, or nothing."""
    return len(memory.stems - other.stems) == 1 and len(other.stems - memory.stems) == 1


def _turned_round(memory: Statement, other: Statement) -> bool:
    """The same names in another order, "Ines reports to Marek" and the reverse; or all the same words, around a word
    that gives them a direction.
    """
    shared = [name for name in other.names if name in memory.names]
    if len(shared) > 1 and shared != [name for name in memory.names if name in shared]:
        return True
    return memory.stems == other.stems and memory.directed != other.directed
