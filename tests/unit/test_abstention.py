"""Abstention: nothing is shown where nothing stored is about the message, and no filler beside a good match."""

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


def one(n=1, *, cosine=None, matched=None, words=0.0, meaning=0.0, type="fact", boost=UNKNOWN, **others):
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
def test_all_or_nothing_by_what_the_store_knows_of_the_message(cosine, matched, known):
    sifted = abstain([one(cosine=cosine, matched=matched, words=0.2)], FOUND, SIGNALS, Policy(), "question")
    assert bool(sifted.kept) == known
    if not known:
        [result] = sifted.dropped
        assert result.disposition == "irrelevant"
        assert result.value == pytest.approx(evidence([one(cosine=cosine, matched=matched)], FOUND, SIGNALS, Policy()))
        assert result.value < Policy().evidence.threshold


def test_evidence_is_the_best_of_all_candidates():
    assert evidence(
        [one(1, cosine=0.2), one(2, cosine=0.9), one(3, matched=4.0)], FOUND, SIGNALS, Policy()
    ) == pytest.approx(0.9 + 0.2 * 4.0 / UNSEEN + 0.2 * 4.0 / 9.0)


def test_a_rare_word_proves_more_than_a_common_one():
    rare, common = found(idf={"redis": 7.0}, passages=PASSAGES), found(idf={"tea": 0.7}, passages=PASSAGES)
    assert evidence([one(matched=7.0)], rare, SIGNALS, Policy()) > evidence(
        [one(matched=0.7)], common, SIGNALS, Policy()
    )


def test_a_named_speaker_is_evidence():
    assert evidence([one(cosine=0.5, speaker=0.05)], FOUND, SIGNALS, Policy()) > evidence(
        [one(cosine=0.5)], FOUND, SIGNALS, Policy()
    )


def test_a_small_store_needs_less_evidence():
    crowd = [one(cosine=0.5, meaning=0.2)]
    for passages, known in ((5, True), (PASSAGES, False)):
        assert bool(abstain(crowd, found(passages=passages), SIGNALS, Policy(), "question").kept) == known


@pytest.mark.parametrize(("factors", "more"), [((1.5, 0.5), 0.1), ((0.5, 1.5), 0.0)], ids=["the best", "another"])
def test_that_the_best_match_was_useful_before_is_evidence_and_that_it_was_not_is_none_against(factors, more):
    best, other = (one(n, cosine=0.5, meaning=0.3 / n, boost=Boost(factor)) for n, factor in enumerate(factors, 1))
    assert evidence([best, other], FOUND, SIGNALS, Policy()) == pytest.approx(0.5 + more)


def test_what_similar_turns_lacked_is_evidence_and_part_of_the_match():
    lacked = one(cosine=0.5, meaning=0.1, boost=Boost(lift=0.2))
    assert evidence([lacked], FOUND, SIGNALS, Policy()) == pytest.approx(0.5 + 0.2)
    assert match(lacked) == pytest.approx(0.1 + 0.2)


@given(st.floats(0, 1), st.floats(0, 9), st.floats(0, 1), st.floats(0, 9))
def test_more_evidence_is_never_less(cosine, matched, more_cosine, more_matched):
    less = evidence([one(cosine=cosine, matched=matched)], FOUND, SIGNALS, Policy())
    more = evidence(
        [one(cosine=max(cosine, more_cosine), matched=max(matched, more_matched))], FOUND, SIGNALS, Policy()
    )
    assert more >= less


def test_an_empty_store_abstains_without_error():
    assert abstain([], found(), SIGNALS, Policy(), "question").kept == ()


def test_beside_a_good_match_a_poor_one_is_dropped_with_its_number():
    good, fair, poor = one(1, cosine=0.9, meaning=0.20), one(2, meaning=0.10), one(3, meaning=0.02)
    sifted = abstain([good, fair, poor], FOUND, SIGNALS, Policy(), "question")
    assert ids(sifted.kept) == [1, 2]
    [result] = sifted.dropped
    assert (result.candidate, result.disposition) == (poor, "irrelevant")
    assert result.value == pytest.approx(0.02)
    assert f"{0.5 * 0.20:.3f}" in result.reason


def test_what_speaks_for_any_query_alike_does_not_save_a_poor_match():
    chatty = one(2, meaning=0.02, length=0.1, first_person=0.1, session=0.1, instruction=0.2, asker=0.1)
    assert match(chatty) == pytest.approx(0.02)
    assert ids(abstain([one(1, cosine=0.9, meaning=0.2), chatty], FOUND, SIGNALS, Policy(), "question").kept) == [1]


@pytest.mark.parametrize("name", ["lexical", "lexical_context", "semantic", "semantic_context", "date"])
def test_a_match_in_any_way_counts(name):
    assert match(candidate(1, factors={name: 0.1})) == pytest.approx(0.1)


def test_switched_off_it_keeps_everything():
    crowd = [one(1), one(2, meaning=0.2)]
    assert abstain(crowd, FOUND, SIGNALS, Policy(abstention=False), "question").kept == tuple(crowd)


def test_both_floors_are_the_policys():
    crowd = [one(1, cosine=0.5, meaning=0.2), one(2, meaning=0.1)]
    assert abstain(crowd, FOUND, SIGNALS, Policy(), "question").kept == ()
    assert ids(abstain(crowd, FOUND, SIGNALS, Policy(evidence={"threshold": 0.4}), "question").kept) == [1, 2]
    assert ids(
        abstain(crowd, FOUND, SIGNALS, Policy(evidence={"threshold": 0.4, "min_item_share": 0.6}), "question").kept
    ) == [1]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3)), max_size=12), st.floats(0, 2), st.floats(0, 1))
def test_every_candidate_is_either_kept_in_order_or_dropped_once(crowd, floor, item_floor):
    candidates = [one(n, cosine=cosine, meaning=meaning) for n, (cosine, meaning) in enumerate(crowd, 1)]
    sifted = abstain(
        candidates, FOUND, SIGNALS, Policy(evidence={"threshold": floor, "min_item_share": item_floor}), "question"
    )
    kept, dropped = ids(sifted.kept), ids(result.candidate for result in sifted.dropped)
    assert sorted(kept + dropped) == list(range(1, len(crowd) + 1))
    assert kept == sorted(kept)
    if candidates and evidence(candidates, FOUND, SIGNALS, Policy()) >= floor:
        best = max(candidates, key=match)
        assert best in sifted.kept


def test_a_date_that_the_message_names_and_the_store_knows_is_evidence():
    dated = one(cosine=0.4, date=Policy().retrieval.relevance["date"])
    assert evidence([dated], FOUND, SIGNALS, Policy()) > evidence([one(cosine=0.4)], FOUND, SIGNALS, Policy())


@pytest.mark.parametrize(
    ("hint", "more"), [("decision", True), ("episode", True), ("fact", False), ("procedure", False)]
)
def test_asking_for_what_was_decided_or_happened_is_evidence(hint, more):
    plain = evidence([one(cosine=0.4)], FOUND, SIGNALS, Policy())
    hinted = evidence([one(cosine=0.4)], FOUND, Signals("", hints=((hint, 0.5),)), Policy())
    assert (hinted > plain) is more


def test_a_frame_may_have_a_floor_of_its_own():
    crowd, policy = [one(1, cosine=0.7, meaning=0.2)], Policy(evidence={"frame_thresholds": {"debug": 0.5}})
    assert ids(abstain(crowd, FOUND, SIGNALS, policy, "debug").kept) == [1]
    assert ids(abstain(crowd, FOUND, SIGNALS, policy, "question").kept) == []


def test_a_type_that_knows_nothing_of_the_message_shows_none_of_its_kind_though_others_do():
    told, fact = one(1, cosine=0.95, meaning=0.2, type="episode"), one(2, cosine=0.5, meaning=0.15, type="fact")
    sifted = abstain([told, fact], FOUND, SIGNALS, Policy(), "question")
    assert ids(sifted.kept) == [1]
    [result] = sifted.dropped
    assert "no fact is about this message" in result.reason
    assert ids(abstain([told, fact], FOUND, SIGNALS, Policy(evidence={"min_type_share": 0.0}), "question").kept) == [
        1,
        2,
    ]


def test_what_is_shown_is_measured_by_the_best_match_though_its_type_is_not_shown():
    """Else a type that knows nothing of the message would let in, by leaving, what is far from its best match."""
    near, far = one(1, cosine=0.5, meaning=0.3, type="episode"), one(2, cosine=0.95, meaning=0.1, type="fact")
    assert abstain([near, far], FOUND, SIGNALS, Policy(), "question").kept == ()
