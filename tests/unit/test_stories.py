"""Descriptions explain each disposition with its numbers, and why a memory was no candidate."""

from __future__ import annotations

from typing import get_args

import pytest
from making import AT, candidate, found, uid

from brain.types import Memory
from cognitive.lab.descriptions import _DESCRIPTIONS, FACTORS, ExplainedCandidate, Missing, describe, describe_missing
from cognitive.lab.replay import replan
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.policy.tables import RELEVANCE
from cognitive.recording.record import TurnInputs, encode
from cognitive.recording.recorded import NOTHING, decode
from cognitive.trace import Boost, CandidateResult, Disposition

POLICY = Policy()
USED = Boost(1.31, 5.0, 4.0, "used in 4 of 5 turns that showed it")


def record(*results: CandidateResult, hints=(), filtered=(), **facts):
    inputs = TurnInputs(
        Signals("Where is the amber kettle?", hints=hints),
        "question",
        (),
        None,
        AT,
        "m",
        found(*(result.candidate.hit for result in results), **facts),
        filtered=filtered,
    )
    return decode(encode(inputs, results, text="", prefix=""))


def description(disposition: Disposition, value: float, reason: str, **fields) -> str:
    shown = CandidateResult(candidate(9, score=0.5, rank=1, tokens=12), "shown", 0.5, "rank 1")
    rank_before, lowered, moved = fields.pop("rank_before", 7), fields.pop("lowered", ""), fields.pop("moved", "")
    own = candidate(1, **{"score": 0.4, "rank": 7, "tokens": 30} | fields)
    own = own._replace(rank_before=rank_before, lowered=lowered, moved=moved)
    recording = record(shown, CandidateResult(own, disposition, value, reason))
    return describe(ExplainedCandidate(recording.candidates[1], recording, replan(recording, POLICY), POLICY))


CASES = [
    (
        "shown",
        0.4,
        "rank 2",
        {"rank": 2, "rank_before": 6, "boost": USED, "factors": {"lexical": 0.1, "content_length": 0.2}},
        "Shown at rank 2 of 2 candidates, for 30 tokens. Main factors: words in common (0.100). Having been"
        " used in 4 of 5 turns that showed it (boost 1.31) adds 0.002 to its score. It was moved from rank 6 to 2 by"
        " that use.",
    ),
    (
        "over_limit",
        7,
        "number 7 of its type; at most 5 of type fact are shown",
        {},
        "Not shown: place 7 among the facts, the plan asks for 5. It scored 0.400, the last fact that was shown 0.500:"
        " 0.100 short.",
    ),
    (
        "irrelevant",
        0.1,
        "match 0.100, threshold of this turn 0.200",
        {},
        "Not shown: match 0.100, threshold of this turn 0.200.",
    ),
    (
        "over_budget",
        30,
        "30 tokens, 12 left",
        {},
        "Not shown: no room in the 1500 for facts or the 6000 in all (30 tokens, 12 left).",
    ),
    (
        "restated",
        0.91,
        "the conversation contains it (cosine 0.91)",
        {},
        "Not shown: the conversation contains it (cosine 0.91). It is eligible again once that has left the"
        " last 5 turns.",
    ),
    (
        "already_in_prompt",
        4,
        "the conversation still shows it, 4 messages back",
        {},
        "Not shown again: the conversation still shows it, 4 messages back. It is eligible again once that has left it,"
        " or it is changed.",
    ),
    (
        "duplicate",
        0.91,
        "a better candidate says the same (cosine 0.91)",
        {},
        "Not shown: a better candidate says the same (cosine 0.91).",
    ),
    ("superseded", 0.4, "replaced by that", {}, "Not shown: replaced by that."),
    (
        "distrusted",
        1,
        "trust is talk; type fact needs at least agent",
        {},
        "Not shown: trust is talk; type fact needs at least agent.",
    ),
    (
        "source_cap",
        3,
        "number 3 of one speaker with trust talk; at most 2 are shown",
        {},
        "Not shown: number 3 of one speaker with trust talk; at most 2 are shown.",
    ),
    ("displaced", 0.4, "exploration showed rank 9 instead", {}, "Not shown: exploration showed rank 9 instead."),
    (
        "pinned",
        0.4,
        "the prefix shows it",
        {},
        "Shown in the system message, which every turn has; the block does not repeat it.",
    ),
]


@pytest.mark.parametrize(("disposition", "value", "reason", "fields", "expected"), CASES, ids=lambda v: str(v)[:12])
def test_description_explains_each_disposition(disposition, value, reason, fields, expected):
    assert description(disposition, value, reason, **fields) == expected


def test_memory_below_one_that_a_rule_moved_is_not_short_of_its_score():
    text = description("over_limit", 7, "number 7 of its type", score=0.6)
    assert text == "Not shown: place 7 among the facts, the plan asks for 5."


@pytest.mark.parametrize(
    ("lift", "expected"), [(0.08, "used it, which adds 0.080"), (-0.01, "takes 0.010"), (0.0, None)]
)
def test_description_states_what_similar_turns_add(lift, expected):
    text = description("shown", 0.4, "rank 2", boost=Boost(lift=lift))
    assert (expected in text) if expected else ("like this one" not in text)


def test_every_disposition_and_factor_has_a_description():
    assert set(_DESCRIPTIONS) == set(get_args(Disposition)) == {row[0] for row in CASES}
    assert set(FACTORS) == set(RELEVANCE)


def memory(type_: str, content: str) -> Memory:
    return Memory(uid(5), type_, content, None, "", AT, None, None, (), (), 1.0, False, None, None)


def missing_description(
    memory: Memory | None, recording, cosine: float | None = None, policy: Policy = POLICY, **of_turn
) -> str:
    of_turn = {"channels": ["dense", "lexical"]} | of_turn
    return describe_missing(Missing(memory, cosine, recording, replan(recording, policy), **of_turn))


def test_description_explains_why_a_memory_was_no_candidate():
    near = [CandidateResult(candidate(n, scores={"content_cosine": n / 10}), "shown", 0.1, "x") for n in range(1, 6)]
    recording = record(*near, idf={"amber": 2.0, "kettl": 3.0})
    assert "erased, or never was" in missing_description(None, recording)
    assert missing_description(memory("fact", "x"), NOTHING).endswith("no stage ran in this turn.")
    off = Policy(budgets={"overrides": {"procedure": 0}})
    assert missing_description(memory("procedure", "x"), recording, policy=off).endswith(
        "it is a procedure, and the plan looked for decision, fact, episode only."
    )
    assert missing_description(memory("fact", "It rains."), recording, 0.25) == (
        "Not shown: no channel found it: none of the message's words stand in it; its meaning is at a cosine of 0.25 to"
        " it, and 3 facts that were found are nearer."
    )
    assert "of the message's words it has kettle, and others match better" in missing_description(
        memory("fact", "A kettle."), recording
    )


def test_missing_memory_of_a_filtered_turn_names_the_filter():
    recording = record(filtered=("metadata.site", "tags"))
    told = missing_description(memory("fact", "It rains."), recording, channels=["dense"])
    assert told.endswith("The turn's filter on metadata.site, tags may not admit it.")


@pytest.mark.parametrize(
    ("idf", "shared"), [("german/kettl", "it has kettle, and"), ("kettl", "none of the message's")]
)
def test_shared_words_are_found_in_the_language_of_the_search(idf, shared):
    assert shared in missing_description(memory("fact", "Mit den Kettlen."), record(idf={idf: 3.0}))


def test_turn_without_retrieval_is_described_as_a_greeting():
    inputs = TurnInputs(Signals("Hi", greeting=True), "conversation", (), None, AT, "m", found())
    recording = decode(encode(inputs, (), text="", prefix=""))
    assert "greeting" in missing_description(memory("fact", "x"), recording)


def test_failed_search_is_described_without_channels():
    recording = record(CandidateResult(candidate(1), "shown", 0.1, "x"), idf={"kettl": 3.0})
    late = "retrieval: no answer from Postgres in time"
    text = missing_description(memory("fact", "A kettle."), recording, channels=[], degraded=[late])
    assert text == f"Not shown: nothing was searched in this turn ({late})."


def test_memory_stored_after_the_turn_is_described_so():
    recording = record(CandidateResult(candidate(1), "shown", 0.1, "x"), idf={"kettl": 3.0})
    text = missing_description(memory("fact", "A kettle."), recording, stored=AT)
    assert text == "Not shown: it was stored later, at 2026-09-01 12:00:00 UTC."


MOVES = [
    (USED, 6, 2, "by that use."),
    (Boost(1.31, 5.0, 4.0, USED.past, lift=0.1), 6, 2, "by those turns more than by that use."),
    (Boost(0.6, 5.0, 0.0, "used in 0 of 5", lift=0.1), 6, 2, "by those turns against that use."),
    (Boost(lift=0.1), 6, 2, "by those turns."),
    (Boost(lift=-0.1), 2, 6, "by those turns."),
    (Boost(), 2, 6, "because the scores of others changed."),
    (USED, 2, 6, "because the scores of others changed."),
]


@pytest.mark.parametrize(("boost", "before", "rank", "mover"), MOVES)
def test_rank_change_is_explained_by_the_largest_score_change(boost, before, rank, mover):
    text = description("shown", 0.4, "x", boost=boost, rank_before=before, rank=rank)
    assert text.endswith(f"It was moved from rank {before} to {rank} {mover}")


def test_factor_on_a_score_explains_a_lower_rank():
    lowered = "multiplied by 0.50, because it is superseded"
    text = description("superseded", 0.2, "replaced by that", boost=USED, rank_before=2, rank=6, lowered=lowered)
    assert text.endswith(
        "Its score is multiplied by 0.50, because it is superseded. It was moved from rank 2 to 6 by that factor."
    )
    raised = description("shown", 0.2, "rank 2", boost=Boost(), rank_before=6, rank=2, lowered=lowered)
    assert raised.endswith("It was moved from rank 6 to 2 because the scores of others changed.")


def ranked(*cases) -> list[str]:
    """Describe candidates in the order of storage, each given as score, rank by relevance, rank, and other fields."""
    results = []
    for n, (score, before, rank, fields) in enumerate(cases, 1):
        own = candidate(n, score=score, relevance=score, rank=rank)._replace(rank_before=before, **fields)
        results.append(CandidateResult(own, "shown", score, f"rank {rank}"))
    recording = record(*results)
    plan = replan(recording, POLICY)
    return [describe(ExplainedCandidate(each, recording, plan, POLICY)) for each in recording.candidates]


def test_rule_that_moved_a_memory_is_named_and_the_passed_one_says_so():
    first, second, third = ranked(
        (0.9, 1, 2, {}), (0.8, 2, 3, {}), (0.1, 3, 1, {"moved": "it contains 1 of 1 identifiers: e404"})
    )
    assert third.endswith("It was moved from rank 3 to 1 by a rule: it contains 1 of 1 identifiers: e404.")
    assert first.endswith("It was moved from rank 1 to 2 because a rule moved others above it.")
    assert second.endswith("It was moved from rank 2 to 3 because a rule moved others above it.")


def test_moves_by_score_and_by_rules_are_told_apart():
    replaced = {"lowered": "multiplied by 0.50, because it is superseded", "moved": "this rule; that rule"}
    first, second, third = ranked((0.5, 1, 3, replaced), (0.6, 2, 1, {}), (0.4, 3, 2, {}))
    assert first.endswith(
        "It was moved from rank 1 to 2 by that factor, and from rank 2 to 3 by rules: this rule; that rule."
    )
    assert second.endswith("It was moved from rank 2 to 1 because the scores of others changed.")
    assert third.endswith("It was moved from rank 3 to 2 because a rule moved others below it.")


def test_use_of_a_memory_of_low_rank_is_told_from_its_score():
    low = 40
    cases = [(1 - n / 100, n, n, {}) for n in range(1, low)]
    cases.append((0.2, low + 1, low, {"relevance": 0.1}))
    cases.append((0.15, low, low + 1, {"relevance": 0.15}))
    results = [
        CandidateResult(
            candidate(n, **{"score": s, "rank": r, "relevance": s} | f)._replace(rank_before=b), "over_limit", r, "x"
        )
        for n, (s, b, r, f) in enumerate(cases, 1)
    ]
    recording = record(*results)
    used, passed = (
        describe(ExplainedCandidate(each, recording, replan(recording, POLICY), POLICY))
        for each in recording.candidates[-2:]
    )
    assert used.endswith("It was moved from rank 41 to 40 by past use.")
    assert passed.endswith("It was moved from rank 40 to 41 because the scores of others changed.")


def test_multiplied_boost_is_described_by_its_added_score():
    own = candidate(1, relevance=0.5, score=0.655, rank=1, boost=USED)
    recording = record(CandidateResult(own, "shown", 0.655, "rank 1"))
    assert "adds 0.155 to its score" in describe(
        ExplainedCandidate(recording.candidates[0], recording, replan(recording, POLICY), Policy.seed())
    )


def test_explored_memory_is_described_with_its_probability():
    kept, last, explored, other = (
        candidate(n, score=score, rank=rank, tokens=9)
        for n, score, rank in ((1, 0.9, 1), (2, 0.8, 2), (3, 0.3, 7), (4, 0.4, 6))
    )
    recording = record(
        CandidateResult(kept, "shown", 0.9, "rank 1"),
        CandidateResult(last._replace(propensity=0.5), "displaced", 0.8, "exploration showed rank 7 instead"),
        CandidateResult(other, "over_limit", 6, "place 6"),
        CandidateResult(explored._replace(propensity=0.5), "shown", 0.3, "rank 7"),
    )
    first, _, short, explored_text = (
        describe(ExplainedCandidate(result, recording, replan(recording, POLICY), POLICY))
        for result in recording.candidates
    )
    assert "exploration" not in first
    assert explored_text.startswith(
        "Shown at rank 7 of 4 candidates, for 9 tokens: tried by exploration with chance 0.5 in"
        " place of what stood at rank 2."
    )
    assert "the last fact that was shown 0.900: 0.500 short" in short
