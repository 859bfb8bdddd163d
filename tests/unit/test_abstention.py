"""Abstention: no memory is shown if none matches the message, and no weak match beside a good one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import candidate, found, ids

from brain.terms import idf
from cognitive.context import abstention
from cognitive.context.evidence import evidence, terms
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS
from cognitive.preflight.plan import create_plan
from cognitive.trace import Boost

PASSAGES = 1_000
UNKNOWN = Boost()
FOUND = found(idf={"redis": 5.0, "cluster": 4.0}, passages=PASSAGES)
PLAN = create_plan(Signals("what runs redis?", question=True), "question", (), Policy())


def scored(n=1, *, cosine=None, matched=None, words=0.0, meaning=0.0, type="fact", boost=UNKNOWN, **others):
    scores = {
        name: value for name, value in (("content_cosine", cosine), ("content_matched", matched)) if value is not None
    }
    weighed = {"lexical": words, "semantic": meaning, **others}
    factors = {name: value for name, value in weighed.items() if value}
    return candidate(n, scores=scores, type=type, factors=factors, boost=boost)


def abstain(candidates, result=FOUND, policy=Policy(), plan=PLAN):  # noqa: B008
    return abstention.abstain(candidates, result, plan, policy, CONSTANTS)


def probability(*candidates, result=FOUND, plan=PLAN):
    return evidence(terms(candidates, result, plan, [each.match for each in candidates]), CONSTANTS)


@pytest.mark.parametrize(
    ("cosine", "matched", "known"),
    [
        pytest.param(0.70, 9.0, True, id="same meaning, same words"),
        pytest.param(0.95, None, True, id="same meaning, other words"),
        pytest.param(0.55, 9.0, True, id="all words, some meaning"),
        pytest.param(0.10, None, False, id="a little meaning"),
        pytest.param(0.15, 4.0, False, id="one common word"),
        pytest.param(None, 1.0, False, id="one common word and no vector"),
        pytest.param(None, 9.0, True, id="all words and no vector"),
        pytest.param(None, None, False, id="nothing"),
    ],
)
def test_candidates_are_kept_only_with_enough_evidence(cosine, matched, known):
    candidates = [scored(cosine=cosine, matched=matched, words=0.2)]
    selection = abstain(candidates)
    assert bool(selection.kept) == known
    if not known:
        [result] = selection.dropped
        assert result.disposition == "irrelevant"
        assert result.value == pytest.approx(probability(*candidates))
        assert result.value < Policy().evidence.threshold


def test_evidence_combines_the_best_scores_of_all_candidates():
    best = terms([scored(1, cosine=0.2), scored(2, cosine=0.9), scored(3, matched=4.0)], FOUND, PLAN, [0.0] * 3)
    assert best["best_cosine"] == 0.9
    assert best["shared_words"] == pytest.approx(4 / 9)


def test_rare_word_is_stronger_evidence_than_a_common_word():
    rare, common = found(idf={"redis": 7.0}, passages=PASSAGES), found(idf={"tea": 0.7}, passages=PASSAGES)
    assert probability(scored(matched=7.0), result=rare) > probability(scored(matched=0.7), result=common)


def test_embedded_memory_never_hides_one_without_a_vector():
    by_words = scored(1, matched=9.0)
    assert probability(by_words, scored(2, cosine=0.15)) >= probability(by_words)


def test_named_speaker_adds_evidence():
    assert probability(scored(cosine=0.4, speaker=0.05)) > probability(scored(cosine=0.4))


def test_large_store_needs_more_evidence():
    few, many = (probability(scored(cosine=0.4), result=found(passages=n)) for n in (5, 100_000))
    assert few > many


def test_more_memories_on_the_topic_never_lower_the_evidence():
    one = scored(1, cosine=0.5, matched=4.0)
    others = [scored(n, cosine=0.45, matched=4.0) for n in range(2, 30)]
    assert probability(one, *others) >= probability(one)


@pytest.mark.parametrize(("message", "shown"), [("QX-4417", True), ("QX-4418", False)])
def test_memory_with_the_identifier_of_the_message_is_shown(message, shown):
    plan = create_plan(Signals(message), "question", (), Policy())
    result = found(idf={"qx": 5.0, "4417": 5.0}, passages=PASSAGES)
    known = scored(cosine=0.2, matched=10.0)
    ticket = known._replace(hit=known.hit._replace(content="Ticket QX-4417: the invoice has a wrong address."))
    assert bool(abstain([ticket], result, plan=plan).kept) == shown


@pytest.mark.parametrize(("factors", "more"), [((1.5, 0.5), True), ((0.5, 1.5), False)], ids=["the best", "another"])
def test_past_use_of_the_best_match_adds_evidence(factors, more):
    used = [scored(n, cosine=0.4, meaning=0.3 / n, boost=Boost(factor)) for n, factor in enumerate(factors, 1)]
    unused = [scored(n, cosine=0.4, meaning=0.3 / n) for n in (1, 2)]
    assert (probability(*used) > probability(*unused)) is more
    assert probability(*used) >= probability(*unused)


def test_lift_from_similar_turns_adds_to_evidence_and_match():
    lifted = scored(cosine=0.4, meaning=0.1, boost=Boost(lift=0.2))
    assert probability(lifted) > probability(scored(cosine=0.4, meaning=0.1))
    assert lifted.match == pytest.approx(0.1 + 0.2)


@given(st.floats(0, 1), st.floats(0, 9), st.floats(0, 1), st.floats(0, 9))
def test_evidence_never_decreases_with_higher_scores(cosine, matched, more_cosine, more_matched):
    less = probability(scored(cosine=cosine, matched=matched))
    more = probability(scored(cosine=max(cosine, more_cosine), matched=max(matched, more_matched)))
    assert 0 <= less <= more <= 1


def test_empty_store_abstains_without_error():
    assert abstain([], found()).kept == ()


def test_poor_match_beside_a_good_one_is_dropped_with_its_value():
    good, fair, poor = scored(1, cosine=0.9, meaning=0.20), scored(2, meaning=0.10), scored(3, meaning=0.02)
    selection = abstain([good, fair, poor])
    assert ids(selection.kept) == [1, 2]
    [result] = selection.dropped
    assert (result.candidate, result.disposition) == (poor, "irrelevant")
    assert result.value == pytest.approx(0.02)
    assert f"{Policy().evidence.min_item_share * 0.8 * 0.20:.3f}" in result.reason


def test_short_memory_may_match_less_than_a_long_one():
    good, short, long = scored(1, cosine=0.9, meaning=0.20), scored(2, meaning=0.09), scored(3, meaning=0.09)
    long = long._replace(hit=long.hit._replace(content=161 * "x"))
    assert ids(abstain([good, short, long]).kept) == [1, 2]


@pytest.mark.parametrize(("text", "kept"), [("what runs redis?", [1, 3]), ("what did you say runs redis?", [1, 2, 3])])
def test_answer_must_match_more_unless_it_is_asked_for(text, kept):
    answers = [scored(n, matched=9.0, words=words) for n, words in ((1, 0.4), (2, 0.3), (3, 0.3))]
    lines = [each._replace(hit=each.hit._replace(speaker="assistant")) for each in answers[:2]]
    plan = create_plan(Signals(text, question=True), "question", (), Policy())
    assert ids(abstain([*lines, answers[2]], plan=plan).kept) == kept


def test_best_match_is_kept_even_if_it_is_an_answer():
    answer = scored(matched=9.0, words=0.4)
    answer = answer._replace(hit=answer.hit._replace(speaker="assistant"))
    assert ids(abstain([answer], policy=Policy(evidence={"min_item_share": 0.9})).kept) == [1]


def test_announced_change_may_match_less():
    old, new, other = (scored(n, matched=9.0, words=words) for n, words in ((1, 0.4), (2, 0.15), (3, 0.15)))
    new = new._replace(hit=new.hit._replace(content="We replaced the Redis cluster.", speaker="ada"))
    other = other._replace(hit=other.hit._replace(content="The Redis cluster is blue.", speaker="ada"))
    assert ids(abstain([old, new, other]).kept) == [1, 2]


def test_question_is_dropped_if_a_statement_is_kept():
    asked = scored(1, cosine=0.9, matched=9.0, words=0.4)
    asked = asked._replace(
        hit=asked.hit._replace(content="Who runs the Redis cluster?", type="episode", speaker="user")
    )
    stated = scored(2, cosine=0.8, matched=9.0, words=0.3)
    both = abstain([asked, stated])
    assert [each.hit.memory_id.int for each in both.kept] == [2]
    assert [(each.candidate, each.disposition) for each in both.dropped] == [(asked, "irrelevant")]
    assert abstain([asked]).kept == (asked,)


def test_query_independent_factors_do_not_save_a_poor_match():
    unspecific = scored(2, meaning=0.02, content_length=0.1, first_person=0.1, session=0.1, instruction=0.2)
    assert unspecific.match == pytest.approx(0.02)
    assert ids(abstain([scored(1, cosine=0.9, meaning=0.2), unspecific]).kept) == [1]


@pytest.mark.parametrize("name", ["lexical", "lexical_context", "semantic", "semantic_context", "date"])
def test_each_matching_factor_counts_as_a_match(name):
    assert candidate(1, factors={name: 0.1}).match == pytest.approx(0.1)


def test_disabled_abstention_keeps_all_candidates():
    candidates = [scored(1), scored(2, meaning=0.2)]
    assert abstain(candidates, policy=Policy(abstention=False)).kept == tuple(candidates)


def test_both_thresholds_come_from_the_policy():
    candidates = [scored(1, cosine=0.5, meaning=0.2), scored(2, meaning=0.1)]
    value = probability(*candidates)
    above, below = ({"threshold": value + step} for step in (0.01, -0.01))
    assert abstain(candidates, policy=Policy(evidence=above)).kept == ()
    assert ids(abstain(candidates, policy=Policy(evidence=below)).kept) == [1, 2]
    assert ids(abstain(candidates, policy=Policy(evidence={**below, "min_item_share": 0.7})).kept) == [1]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3)), max_size=12), st.floats(0, 1), st.floats(0, 1))
def test_every_candidate_is_either_kept_in_order_or_dropped_once(scores, threshold, share):
    candidates = [scored(n, cosine=cosine, meaning=meaning) for n, (cosine, meaning) in enumerate(scores, 1)]
    selection = abstain(candidates, policy=Policy(evidence={"threshold": threshold, "min_item_share": share}))
    kept, dropped = ids(selection.kept), ids(result.candidate for result in selection.dropped)
    assert sorted(kept + dropped) == list(range(1, len(scores) + 1))
    assert kept == sorted(kept)
    if candidates and probability(*candidates) >= threshold:
        assert max(candidates, key=lambda each: each.match) in selection.kept


def test_cosine_of_low_candidates_is_no_evidence():
    first = [scored(n, cosine=0.2) for n in range(1, 6)]
    assert probability(*first, scored(6, cosine=0.9)) == probability(*first)


def test_own_matters_add_evidence():
    bare = create_plan(Signals("tell me a joke", question=True), "question", (), Policy())
    memory = replace(bare, categories=("memory",))
    plain = probability(scored(cosine=0.3), plan=bare)
    assert probability(scored(cosine=0.3), plan=memory) > plain


@pytest.mark.parametrize(("message", "more"), [("the till we picked", True), ("Our till", True), ("the tour", False)])
def test_our_matters_add_evidence(message, more):
    plain, ours = (create_plan(Signals(text), "question", (), Policy()) for text in ("the till", message))
    assert (probability(scored(cosine=0.3), plan=ours) > probability(scored(cosine=0.3), plan=plain)) is more


@pytest.mark.parametrize(("name", "absent"), [("Redis", False), ("Zorbo", True), ("Atlas", False)])
def test_name_that_no_memory_has_lowers_the_evidence(name, absent):
    """A word that was not searched for, such as Atlas, may be in a memory."""
    named = create_plan(Signals("what runs redis?", entities=(name,)), "question", (), Policy())
    result = found(idf={"redis": 5.0, "zorbo": idf(PASSAGES, 0)}, passages=PASSAGES)
    memory = scored(cosine=0.5)
    assert (probability(memory, result=result, plan=named) < probability(memory, result=result)) is absent


def test_name_that_only_a_context_has_is_known():
    named = create_plan(Signals("what runs redis?", entities=("Zorbo",)), "question", (), Policy())
    absent = idf(PASSAGES, 0)
    result = found(idf={"zorbo": absent}, passages=PASSAGES)
    hits = [candidate(1, scores={"content_cosine": 0.5, "context_matched": value}) for value in (0.0, absent)]
    unknown, known = (terms([hit], result, named, [hit.match])["unknown_name"] for hit in hits)
    assert (unknown, known) == (1.0, 0.0)


def test_task_may_name_what_is_new():
    question, task = (
        create_plan(Signals("what runs redis?", entities=("Zorbo",)), frame, (), Policy())
        for frame in ("question", "task")
    )
    result = found(idf={"zorbo": idf(PASSAGES, 0)}, passages=PASSAGES)
    asked, wanted = (terms([scored(cosine=0.5)], result, plan, [0.5])["unknown_name"] for plan in (question, task))
    assert (asked, wanted) == (1.0, 0.0)


def test_frame_can_have_its_own_evidence_threshold():
    candidates = [scored(1, cosine=0.6, meaning=0.2)]
    policy = Policy(evidence={"frame_thresholds": {"debug": 0.0, "question": 1.0}})
    assert ids(abstain(candidates, policy=policy, plan=replace(PLAN, frame="debug")).kept) == [1]
    assert ids(abstain(candidates, policy=policy).kept) == []


NOTHING = "nothing stored is about this message"


def dropped_reason(*candidates, idf=None, policy=Policy(), plan=PLAN):  # noqa: B008
    """Return the reason with which the last of the dropped candidates is dropped."""
    result = found(*(each.hit for each in candidates), idf=idf or {"redis": 5.0, "cluster": 4.0}, passages=PASSAGES)
    return abstain(candidates, result, policy, plan).dropped[-1].reason


@pytest.mark.parametrize(
    ("one", "nothing"),
    [
        pytest.param({"cosine": 0.15}, True, id="far in meaning, no common word"),
        pytest.param({"cosine": 0.25}, False, id="some meaning"),
        pytest.param({"cosine": 0.15, "matched": 0.5}, False, id="a common word"),
        pytest.param({}, False, id="no vector"),
    ],
)
def test_nothing_is_said_to_be_stored_only_without_any_match(one, nothing):
    reason = dropped_reason(scored(1, cosine=one.get("cosine") and 0.05), scored(2, **one))
    assert (NOTHING in reason) is nothing
    assert reason.startswith("below the threshold: evidence 0.") is not nothing


def test_hit_that_an_earlier_stage_dropped_counts_as_stored():
    far, restated = scored(1, cosine=0.1), scored(2, cosine=0.9)
    [result] = abstain([far], found(far.hit, restated.hit, idf=FOUND.idf, passages=PASSAGES)).dropped
    assert NOTHING not in result.reason


@given(st.floats(0.2, 0.5), st.floats(0, 4), st.floats(0.01, 1))
def test_all_are_kept_at_the_threshold_that_the_reason_names(cosine, matched, threshold):
    one = scored(cosine=cosine, matched=matched, meaning=0.2)
    if abstain([one], policy=Policy(evidence={"threshold": threshold})).kept:
        return
    reason = dropped_reason(one, policy=Policy(evidence={"threshold": threshold}))
    needed = float(reason.rpartition(" ")[2])
    assert needed < threshold
    assert abstain([one], policy=Policy(evidence={"threshold": needed})).kept


def test_reason_names_the_threshold_of_the_frame_that_applied():
    policy = Policy(evidence={"frame_thresholds": {"debug": 0.9}})
    reason = dropped_reason(scored(cosine=0.3), policy=policy, plan=replace(PLAN, frame="debug"))
    assert "less than evidence.frame_thresholds.debug 0.900 (best cosine 0.30, at most 0.00 of the message's" in reason


def test_reason_of_one_memory_names_the_share_to_change():
    assert dropped_reason(scored(1, cosine=0.9, meaning=0.2), scored(2, meaning=0.05)) == (
        "below the threshold of a memory: match 0.050 is 0.030 less than 0.080, evidence.min_item_share 0.5 times 0.8"
        " for a short memory of the best match 0.200; it passes at a share of at most 0.31"
    )
