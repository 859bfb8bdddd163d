"""Describe in plain sentences why a memory was shown in a turn or not.

A disposition is the reason why a candidate was shown or dropped ("shown", "duplicate", "over_budget" …). Each has a
function here that writes its sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain.text import as_lexeme, language_of, lexemes, words
from brain.types import Memory
from cognitive.lab.rank_changes import describe_rank
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.recording.recorded import RecordedCandidate, Recording

_MAX_NAMED = 3  # factors named in a sentence
_FOR_ANYTHING = frozenset({"content_length", "first_person", "user_turn"})  # these factors do not depend on the message

# factor -> its name in a sentence, as in "words in common (0.110)"
FACTORS: Mapping[str, str] = {
    "lexical": "words in common",
    "lexical_context": "words in common with its context",
    "semantic": "similar meaning",
    "semantic_context": "similar meaning of its context",
    "session": "its session",
    "neighbor": "matching neighbors",
    "speaker": "its speaker",
    "first_person": "first person",
    "user_turn": "said by the user",
    "instruction": "a standing instruction",
    "date": "its date",
    "recency": "recency",
    "content_length": "its length",
}


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate memory of a recorded turn, with the data to explain it: the turn's record, plan and policy."""

    result: RecordedCandidate
    record: Recording
    plan: Plan
    policy: Policy

    @property
    def limit(self) -> int:
        """The number of memories of the candidate's type that the plan requests."""
        return next((query.limit for query in self.plan.retrieval if query.type == self.result.type), 0)

    @property
    def min_shown(self) -> float | None:
        """The lowest score of a shown memory of the candidate's type, or None if none was shown.

        A memory that was shown by exploration (a random trial) does not count.
        """
        drawn, own = self.drawn, [result for result in self.record.candidates if result.type == self.result.type]
        shown = [result.score for result in own if result.disposition == "shown" and result is not drawn]
        return min(shown, default=None)

    @property
    def displaced(self) -> RecordedCandidate | None:
        """The candidate that exploration (a random trial of another memory) kept out of the prompt, or None."""
        return next((result for result in self.record.candidates if result.disposition == "displaced"), None)

    @property
    def drawn(self) -> RecordedCandidate | None:
        """The candidate that exploration (a random trial) showed, or None if there was no trial in the turn.

        It is the shown candidate with the lowest probability of being shown.
        """
        if self.displaced is None:
            return None
        shown = [result for result in self.record.candidates if result.disposition == "shown"]
        return min(shown, key=lambda result: result.chance)


@dataclass(frozen=True, slots=True)
class Missing:
    """A memory that was no candidate in a turn, with the data that can explain why no search channel found it.

    Attributes:
        memory: the memory, or None if it is not stored.
        cosine: its cosine to the message, or None if one of the vectors is missing.
        record: the record of the turn.
        plan: the plan of the turn.
        channels: the search channels (words, meaning) that were used.
        degraded: the parts of the turn that failed or were late.
        stored: the time when the memory was stored, if that was after the turn.
    """

    memory: Memory | None
    cosine: float | None
    record: Recording
    plan: Plan
    channels: Sequence[str]
    degraded: Sequence[str] = ()
    stored: datetime | None = None


def describe(case: ExplainedCandidate) -> str:
    """Describe in one or more sentences why a candidate was shown or not, and how its rank came about."""
    return f"{_DESCRIPTIONS[case.result.disposition](case)} {_standing(case)}".strip()


def describe_missing(missing: Missing) -> str:
    """Describe in a sentence why a memory was not a candidate, by the first reason that applies."""
    filtered = missing.record.inputs.filtered if missing.record.inputs is not None else ()
    doubt = f" The turn's filter on {', '.join(filtered)} may not admit it." if filtered else ""
    return "Not shown: " + next(reason for told in _NOT_FOUND if (reason := told(missing))) + doubt


def _shown(case: ExplainedCandidate) -> str:
    noted = case.result.reason.partition("; ")[2]  # after the rank: why it was listed, for example
    told = (
        f"Shown at rank {case.result.rank} of {len(case.record.candidates)} candidates, for {case.result.tokens} tokens"
        f"{f' ({noted})' if noted else ''}"
    )
    if case.displaced is None or case.result is not case.drawn:
        return f"{told}."
    chance = f"with chance {case.result.chance:.3g}"
    return f"{told}: tried by exploration {chance} in place of what stood at rank {case.displaced.rank}."


def _over_limit(case: ExplainedCandidate) -> str:
    place = f"place {case.result.value:.0f} among the {case.result.type}s"
    return f"Not shown: {place}, the plan asks for {case.limit}.{_short_of(case)}"


def _short_of(case: ExplainedCandidate) -> str:
    least, score = case.min_shown, case.result.score
    if least is None or score > least:  # a rule moved another one above it
        return ""
    return f" It scored {score:.3f}, the last {case.result.type} that was shown {least:.3f}: {least - score:.3f} short."


def _over_budget(case: ExplainedCandidate) -> str:
    room = f"the {case.plan.budgets.get(case.result.type, 0)} for {case.result.type}s or the {case.plan.total} in all"
    return f"Not shown: no room in {room} ({case.result.reason})."


def _restated(case: ExplainedCandidate) -> str:
    window = f"It is eligible again once that has left the last {case.plan.window} turns."
    return f"Not shown: {case.result.reason}. {window}"


def _still_shown(case: ExplainedCandidate) -> str:
    return f"Not shown again: {case.result.reason}. It is eligible again once that has left it, or it is changed."


def _not_shown(case: ExplainedCandidate) -> str:
    return f"Not shown: {case.result.reason}."


_DESCRIPTIONS: Mapping[str, Callable[[ExplainedCandidate], str]] = {
    "shown": _shown,
    "pinned": lambda _: "Shown in the system message, which every turn has; the block does not repeat it.",
    "restated": _restated,
    "duplicate": _not_shown,
    "superseded": _not_shown,
    "distrusted": _not_shown,
    "source_cap": _not_shown,
    "irrelevant": _not_shown,
    "over_limit": _over_limit,
    "already_in_prompt": _still_shown,
    "over_budget": _over_budget,
    "displaced": _not_shown,
}


def _standing(case: ExplainedCandidate) -> str:
    """Describe a candidate's rank: the main factors of its relevance, and what changed its score and its rank."""
    factors = sorted((case.result.factors or {}).items(), key=lambda item: -item[1])
    telling = [(name, value) for name, value in factors if name not in _FOR_ANYTHING][:_MAX_NAMED]
    named = [f"{FACTORS.get(name, name)} ({value:.3f})" for name, value in telling]
    spoke = [f"Main factors: {_listed(named)}."] if named else []
    return " ".join(spoke + describe_rank(case.result, case.record, case.policy))


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:])


def _unknown(missing: Missing) -> str:
    return (
        ""
        if missing.memory
        else "the turn's user has no memory of this id: it is another user's, was erased, or never was one."
    )


def _nothing_ran(missing: Missing) -> str:
    return "" if missing.record.inputs is not None else "no stage ran in this turn."


def _nothing_asked(missing: Missing) -> str:
    return "" if missing.plan.retrieval else "the message is a mere greeting, and nothing was looked for."


def _type_not_asked(missing: Missing) -> str:
    type_ = missing.memory.type if missing.memory else ""
    asked = [query.type for query in missing.plan.retrieval]
    return "" if type_ in asked else f"it is a {type_}, and the plan looked for {', '.join(asked)} only."


def _stored_later(missing: Missing) -> str:
    return f"it was stored later, at {missing.stored:%Y-%m-%d %H:%M:%S %Z}." if missing.stored else ""


def _hidden(missing: Missing) -> str:
    memory, inputs = missing.memory, missing.record.inputs
    if memory is None or inputs is None or memory.hidden_at is None or not memory.hidden(inputs.now):
        return ""
    return f"it is hidden since {memory.hidden_at:%Y-%m-%d %H:%M:%S %Z}: {memory.hidden_reason}."


def _nothing_searched(missing: Missing) -> str:
    if missing.channels:
        return ""
    return f"nothing was searched in this turn ({'; '.join(missing.degraded) or 'no channel answered'})."


def _not_near(missing: Missing) -> str:
    """Describe that no search channel ranked the memory high enough: the last possible reason, which always applies."""
    shared = _shared(missing)
    told = (
        f"of the message's words it has {', '.join(shared)}, and others match better"
        if shared
        else "none of the message's words stand in it"
    )
    return f"no channel found it: {told}; {_meaning(missing)}."


def _shared(missing: Missing) -> list[str]:
    """Return the words of the message that the memory contains, compared in the language that the turn searched in."""
    memory, inputs = missing.memory, missing.record.inputs
    if inputs is None:
        return []
    searched = inputs.found.idf
    language = language_of(next(iter(searched), ""))
    said = lexemes(f"{memory.content} {memory.context} {memory.speaker or ''}", language) if memory else []
    found = searched.keys() & said
    asked = dict.fromkeys(words(inputs.signals.text))
    return [word for word in asked if as_lexeme(word, language) in found]


def _meaning(missing: Missing) -> str:
    type_ = missing.memory.type if missing.memory else ""
    types = {result.memory_id: result.type for result in missing.record.candidates}
    near = [
        scores["content_cosine"]
        for (memory_id, _), scores in missing.record.scores.items()
        if "content_cosine" in scores and types.get(memory_id) == type_
    ]
    if missing.cosine is None:
        return f"of what is near in meaning there were {len(near)} other {type_}s"
    nearer = sum(cosine > missing.cosine for cosine in near)
    return f"its meaning is at a cosine of {missing.cosine:.2f} to it, and {nearer} {type_}s that were found are nearer"


# The first of these that returns a reason is the explanation.
_NOT_FOUND: tuple[Callable[[Missing], str], ...] = (
    _unknown,
    _stored_later,
    _hidden,
    _nothing_ran,
    _nothing_asked,
    _type_not_asked,
    _nothing_searched,
    _not_near,
)
