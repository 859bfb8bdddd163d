"""Abstention: no memory is shown if none matches the message, and no weak match beside a good one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import candidate, found, ids

from cognitive.context.abstention import abstain, evidence, match
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.trace import Boost

PASSAGES = 1_000
UNSEEN = math.log(1 + (PASSAGES + 0.5) / 0.5)
SIGNALS = Signals("")
UNKNOWN = Boost()
FOUND = found(idf={"redis": 5.0, "cluster": 4.0}, passages=PASSAGES)


def scored(n=1, *, cosine=None, matched=None, words=0.0, meaning=0.0, type="fact", boost=UNKNOWN, **others):
    scores = {
        name: value for name, value in (("content_cosine", cosine), ("content_matched", matched)) if value is not None
    }
    weighed = {"lexical": words, "semantic": meaning, **others}
    factors = {name: value for name, value in weighed.items() if value}
    return candidate(n, scores=scores, type=type, factors=factors, boost=boost)


@pytest.mark.parametrize(
    ("cosine", "matched", "known"),
    [
        pytest.param(0.70, 9.0, True, id="same meaning, same words"),
        pytest.param(0.95, None, True, id="same meaning, other words"),
        pytest.param(0.55, 9.0, True, id="all words, some meaning"),
        pytest.param(0.30, None, False, id="a little meaning"),
        pytest.param(0.30, 4.0, False, id="one common word"),
        pytest.param(None, 4.0, False, id="one word and no vector"),
        pytest.param(None, 9.0, True, id="all words and no vector"),
        pytest.param(None, None, False, id="nothing"),
    ],
)
def test_candidates_are_kept_only_with_enough_evidence_about_the_message(cosine, matched, known):
    selection = abstain([scored(cosine=cosine, matched=matched, words=0.2)], FOUND, SIGNALS, Policy(), "question")
    assert bool(selection.kept) == known
    if not known:
        [result] = selection.dropped
        assert result.disposition == "irrelevant"
        assert result.value == pytest.approx(
            evidence([scored(cosine=cosine, matched=matched)], FOUND, SIGNALS, Policy())
        )
        assert result.value < Policy().evidence.threshold


def test_evidence_combines_the_best_scores_of_all_candidates():
    assert evidence(
        [scored(1, cosine=0.2), scored(2, cosine=0.9), scored(3, matched=4.0)], FOUND, SIGNALS, Policy()
    ) == pytest.approx(0.9 + 0.2 * 4.0 / UNSEEN + 0.2 * 4.0 / 9.0)


def test_rare_word_is_stronger_evidence_than_a_common_word():
    rare, common = found(idf={"redis": 7.0}, passages=PASSAGES), found(idf={"tea": 0.7}, passages=PASSAGES)
    assert evidence([scored(matched=7.0)], rare, SIGNALS, Policy()) > evidence(
        [scored(matched=0.7)], common, SIGNALS, Policy()
    )


@pytest.mark.parametrize(
    "factor", [{"speaker": 0.05}, {"date": Policy().retrieval.relevance["date"]}], ids=["speaker", "date"]
)
def test_speaker_or_date_match_adds_evidence(factor):
    plain, matching = scored(cosine=0.5), scored(cosine=0.5, **factor)
    assert evidence([matching], FOUND, SIGNALS, Policy()) > evidence([plain], FOUND, SIGNALS, Policy())


def test_small_store_needs_less_evidence():
    candidates = [scored(cosine=0.5, meaning=0.2)]
    for passages, known in ((5, True), (PASSAGES, False)):
        assert bool(abstain(candidates, found(passages=passages), SIGNALS, Policy(), "question").kept) == known


@pytest.mark.parametrize(("factors", "more"), [((1.5, 0.5), 0.1), ((0.5, 1.5), 0.0)], ids=["the best", "another"])
def test_past_use_of_the_best_match_adds_evidence_and_disuse_removes_none(factors, more):
    best, other = (scored(n, cosine=0.5, meaning=0.3 / n, boost=Boost(factor)) for n, factor in enumerate(factors, 1))
    assert evidence([best, other], FOUND, SIGNALS, Policy()) == pytest.approx(0.5 + more)


def test_lift_from_similar_turns_adds_to_evidence_and_match():
    lifted = scored(cosine=0.5, meaning=0.1, boost=Boost(lift=0.2))
    assert evidence([lifted], FOUND, SIGNALS, Policy()) == pytest.approx(0.5 + 0.2)
    assert match(lifted) == pytest.approx(0.1 + 0.2)


@given(st.floats(0, 1), st.floats(0, 9), st.floats(0, 1), st.floats(0, 9))
def test_evidence_never_decreases_with_higher_scores(cosine, matched, more_cosine, more_matched):
    less = evidence([scored(cosine=cosine, matched=matched)], FOUND, SIGNALS, Policy())
    more = evidence(
        [scored(cosine=max(cosine, more_cosine), matched=max(matched, more_matched))], FOUND, SIGNALS, Policy()
    )
    assert more >= less


def test_empty_store_abstains_without_error():
    assert abstain([], found(), SIGNALS, Policy(), "question").kept == ()


def test_poor_match_beside_a_good_one_is_dropped_with_its_value():
    good, fair, poor = scored(1, cosine=0.9, meaning=0.20), scored(2, meaning=0.10), scored(3, meaning=0.02)
    selection = abstain([good, fair, poor], FOUND, SIGNALS, Policy(), "question")
    assert ids(selection.kept) == [1, 2]
    [result] = selection.dropped
    assert (result.candidate, result.disposition) == (poor, "irrelevant")
    assert result.value == pytest.approx(0.02)
    assert f"{0.5 * 0.20:.3f}" in result.reason


def test_query_independent_factors_do_not_save_a_poor_match():
    unspecific = scored(2, meaning=0.02, length=0.1, first_person=0.1, session=0.1, instruction=0.2, asker=0.1)
    assert match(unspecific) == pytest.approx(0.02)
    assert ids(
        abstain([scored(1, cosine=0.9, meaning=0.2), unspecific], FOUND, SIGNALS, Policy(), "question").kept
    ) == [1]


@pytest.mark.parametrize("name", ["lexical", "lexical_context", "semantic", "semantic_context", "date"])
def test_each_matching_factor_counts_as_a_match(name):
    assert match(candidate(1, factors={name: 0.1})) == pytest.approx(0.1)


def test_disabled_abstention_keeps_all_candidates():
    candidates = [scored(1), scored(2, meaning=0.2)]
    assert abstain(candidates, FOUND, SIGNALS, Policy(abstention=False), "question").kept == tuple(candidates)


def test_both_thresholds_come_from_the_policy():
    candidates = [scored(1, cosine=0.5, meaning=0.2), scored(2, meaning=0.1)]
    assert abstain(candidates, FOUND, SIGNALS, Policy(), "question").kept == ()
    assert ids(abstain(candidates, FOUND, SIGNALS, Policy(evidence={"threshold": 0.4}), "question").kept) == [1, 2]
    assert ids(
        abstain(candidates, FOUND, SIGNALS, Policy(evidence={"threshold": 0.4, "min_item_share": 0.6}), "question").kept
    ) == [1]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3)), max_size=12), st.floats(0, 2), st.floats(0, 1))
def test_every_candidate_is_either_kept_in_order_or_dropped_once(scores, floor, item_floor):
    candidates = [scored(n, cosine=cosine, meaning=meaning) for n, (cosine, meaning) in enumerate(scores, 1)]
    selection = abstain(
        candidates, FOUND, SIGNALS, Policy(evidence={"threshold": floor, "min_item_share": item_floor}), "question"
    )
    kept, dropped = ids(selection.kept), ids(result.candidate for result in selection.dropped)
    assert sorted(kept + dropped) == list(range(1, len(scores) + 1))
    assert kept == sorted(kept)
    if candidates and evidence(candidates, FOUND, SIGNALS, Policy()) >= floor:
        best = max(candidates, key=match)
        assert best in selection.kept


@pytest.mark.parametrize(
    ("hint", "more"), [("decision", True), ("episode", True), ("fact", False), ("procedure", False)]
)
def test_hint_at_decisions_or_episodes_adds_evidence(hint, more):
    plain = evidence([scored(cosine=0.4)], FOUND, SIGNALS, Policy())
    hinted = evidence([scored(cosine=0.4)], FOUND, Signals("", hints=((hint, 0.5),)), Policy())
    assert (hinted > plain) is more


def test_frame_can_have_its_own_evidence_threshold():
    candidates, policy = [scored(1, cosine=0.7, meaning=0.2)], Policy(evidence={"frame_thresholds": {"debug": 0.5}})
    assert ids(abstain(candidates, FOUND, SIGNALS, policy, "debug").kept) == [1]
    assert ids(abstain(candidates, FOUND, SIGNALS, policy, "question").kept) == []


def test_type_without_evidence_shows_nothing_while_other_types_do():
    episode, fact = (
        scored(1, cosine=0.95, meaning=0.2, type="episode"),
        scored(2, cosine=0.5, meaning=0.15, type="fact"),
    )
    selection = abstain([episode, fact], FOUND, SIGNALS, Policy(), "question")
    assert ids(selection.kept) == [1]
    [result] = selection.dropped
    assert "no fact is about this message" in result.reason
    assert ids(abstain([episode, fact], FOUND, SIGNALS, Policy(evidence={"min_type_share": 0.0}), "question").kept) == [
        1,
        2,
    ]


def test_item_threshold_uses_the_best_match_even_of_a_type_not_shown():
    """Otherwise, dropping a type would admit candidates far below its best match."""
    near, far = scored(1, cosine=0.5, meaning=0.3, type="episode"), scored(2, cosine=0.95, meaning=0.1, type="fact")
    assert abstain([near, far], FOUND, SIGNALS, Policy(), "question").kept == ()
