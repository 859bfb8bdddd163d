"""Each relevance factor decides between otherwise equal memories, and a better match never lowers relevance."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import AT, found, hit, ids, uid

from brain.search import K1
from cognitive.context.ranking import candidates
from cognitive.plan import DateRange, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.tables import RELEVANCE

POLICY = Policy()
NOW = AT + timedelta(days=30)
LINE = "tea was served to all of the guests"  # no name, no date, no first person, no instruction
MAY = DateRange(datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC), "May 2023")


def ranked(*hits, text="tea with guests", idf=None, dates=None, recency=0.0, policy=POLICY):
    idf = {"tea": 2.0, "guest": 1.0} if idf is None else idf
    query = RetrievalQuery("fact", text, 5, recency, dates)
    return candidates(found(*hits, idf=idf, session_idf=idf, passages=100), query, NOW, policy)


def factors(*hits, **query):
    return {each.hit.memory_id.int: dict(each.factors) for each in ranked(*hits, **query)}


# Two hits that differ in one property. Memory 2 has it; memory 1 does not, and would win a tie since it is older.
DECIDERS = {
    "lexical": ({"scores": {"content_bm25": 1.0}}, {"scores": {"content_bm25": 2.0}}, {}),
    "lexical_context": ({"scores": {"context_matched": 1.0}}, {"scores": {"context_matched": 2.0}}, {}),
    "semantic": (
        {"scores": {"content_cosine": 0.3, "context_cosine": 0.3}},
        {"scores": {"content_cosine": 0.6, "context_cosine": 0.3}},
        {},
    ),
    "semantic_context": (
        {"scores": {"content_cosine": 0.3, "context_cosine": 0.3}},
        {"scores": {"content_cosine": 0.3, "context_cosine": 0.6}},
        {},
    ),
    "session": (
        {"session_id": "a", "scores": {"session_bm25": 0.1}},
        {"session_id": "b", "scores": {"session_bm25": 2.0}},
        {},
    ),
    "speaker": ({"speaker": "Ines"}, {"speaker": "Caroline"}, {"text": "what does Caroline drink"}),
    "first_person": ({"speaker": "Ines"}, {"speaker": "Ines", "content": "tea was served to all my own guests"}, {}),
    "user_turn": ({"speaker": "assistant"}, {"speaker": "user"}, {}),
    "instruction": ({"speaker": "Ines"}, {"speaker": "Ines", "content": "always serve the tea to every guest"}, {}),
    "date": (
        {"occurred_at": datetime(2023, 9, 1, tzinfo=UTC)},
        {"occurred_at": datetime(2023, 5, 9, tzinfo=UTC)},
        {"dates": MAY},
    ),
    "recency": ({"occurred_at": NOW - timedelta(days=90)}, {"occurred_at": NOW - timedelta(days=1)}, {"recency": 1.0}),
    "content_length": ({"speaker": "Ines", "content": "tea"}, {"speaker": "Ines"}, {}),
}


@pytest.mark.parametrize("name", DECIDERS)
def test_factor_decides_between_otherwise_equal_memories(name):
    without, having, query = DECIDERS[name]
    hits = hit(1, **{"content": LINE, **without}), hit(2, **{"content": LINE, **having})
    first, second = ranked(*hits, **query)
    assert first.hit.memory_id == uid(2)
    beside = {"lexical": {"neighbor"}, "semantic": {"neighbor"}, "content_length": {"neighbor"}}.get(name, set())
    differing = {
        key
        for key in {*first.factors, *second.factors}
        if abs(first.factors.get(key, 0.0) - second.factors.get(key, 0.0)) > 1e-12
    }
    assert differing - beside == {name}


@pytest.mark.parametrize("name", DECIDERS)
def test_factor_of_weight_zero_changes_nothing(name):
    without, having, query = DECIDERS[name]
    hits = hit(1, **{"content": LINE, **without}), hit(2, **{"content": LINE, **having})
    weights = {**RELEVANCE, name: 0.0}
    assert ids(ranked(*hits, policy=Policy(retrieval={"relevance": weights}), **query)) == [1, 2]


def test_memory_without_a_speaker_is_not_behind_lines_of_a_conversation():
    hits = hit(1, "I did it.", speaker="user"), hit(2, LINE, speaker=None), hit(3, LINE, speaker="assistant")
    got = factors(*hits, text="which tea")
    assert all(got[2].get(name, 0) >= got[1].get(name, 0) for name in ("first_person", "user_turn", "content_length"))
    assert all(got[2].get(name, 0) > got[3].get(name, 0) for name in ("first_person", "user_turn", "content_length"))


def test_every_factor_of_the_policy_has_a_case():
    assert {*DECIDERS, "neighbor"} == set(RELEVANCE)


def talk(*matches: float, session="s"):
    """Return consecutive hits of one session with the given cosines to the query."""
    return [
        hit(
            n,
            LINE,
            session_id=session,
            scores={"content_cosine": match},
        )
        for n, match in enumerate(matches, 1)
    ]


def test_neighbour_bonus_falls_with_the_distance_in_both_directions():
    got = factors(*talk(0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0))
    gain = {n: got[n].get("neighbor", 0.0) for n in got}
    assert gain[3] == gain[5] > gain[2] == gain[6] > 0
    assert gain[1] == gain[7] == 0
    assert gain[4] == 0  # a match is not its own neighbour


def test_line_of_more_than_a_day_later_is_no_neighbour():
    first = hit(1, LINE, session_id="s", scores={"content_cosine": 0.9})
    near, far = (hit(n, LINE, session_id="s", occurred_at=AT + timedelta(days=n)) for n in (1, 2))
    assert factors(first, near._replace(memory_id=uid(2)))[2]["neighbor"] > 0
    assert "neighbor" not in factors(first, far)[2]


def test_line_of_another_session_or_user_is_no_neighbour():
    lines = hit(1, LINE, session_id="s", user_id="ana", scores={"content_cosine": 0.9}), hit(2, LINE, session_id="s")
    assert "neighbor" not in factors(*lines, hit(3, LINE, session_id="other", user_id="ana"))[2]


def test_best_passage_represents_its_memory():
    weak = hit(1, "Tea.", ordinal=0, scores={"content_cosine": 0.1})
    best = hit(1, "Guests had tea.", ordinal=3, scores={"content_cosine": 0.9})
    middling = hit(1, "Had tea.", ordinal=4, scores={"content_cosine": 0.5})
    for order in ([weak, best, middling], [best, middling, weak]):
        [only] = ranked(*order)
        assert only.hit.ordinal == 3


def test_first_of_equal_passages_is_chosen():
    [only] = ranked(hit(1, "Tea.", ordinal=0), hit(1, "Tea.", ordinal=1))
    assert only.hit.ordinal == 0


def test_candidates_are_ordered_by_relevance_then_sequence():
    got = ranked(hit(3), hit(1, scores={"content_cosine": 0.5}), hit(2))
    assert ids(got) == [1, 2, 3]
    assert [each.rank_before for each in got] == [1, 2, 3]


def test_relevance_is_the_sum_of_its_nonzero_factors():
    for each in ranked(*talk(0.2, 0.9), hit(9, "My tea.", speaker="user", scores={"content_bm25": 1.0})):
        assert each.relevance == pytest.approx(sum(each.factors.values()))
        assert all(each.factors.values())


def test_relevance_lies_between_zero_and_one():
    idf = {"tea": 2.0, "guest": 1.0}
    perfect = {
        "content_bm25": 3.0 * (K1 + 1),
        "context_matched": 3.0,
        "content_cosine": 1.0,
        "context_cosine": 1.0,
        "session_bm25": 3.0 * (K1 + 1),
    }
    lines = [
        hit(
            n,
            f"Always remember: I, Caroline, had 2 teas yesterday {'x' * 400}",
            speaker="Caroline",
            session_id="s",
            scores=perfect,
            occurred_at=MAY.start,
        )
        for n in (1, 2, 3)
    ]
    for each in ranked(*lines, text="when did Caroline have tea", idf=idf, dates=MAY, recency=1.0):
        assert 0.5 < each.relevance <= 1.0 + 1e-9
    [nothing] = ranked(hit(1, "x", speaker="Ines"), idf={})
    assert 0 <= nothing.relevance < 0.1


# --- speakers ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("what does Caroline drink", {2}, id="named"),
        pytest.param("what does caroline drink", {2}, id="in lower case"),
        pytest.param("Caroline's tea", {2}, id="possessive"),
        pytest.param("what do Caroline and Ines drink", set(), id="two names"),
        pytest.param("what do they drink", set(), id="no name"),
        pytest.param("what does the user drink", set(), id="a role"),
        pytest.param("when will they drink tea", set(), id="a word that is also a name"),
        pytest.param("what does Dr Will drink", {6}, id="a name after a title"),
    ],
)
def test_speaker_factor_requires_exactly_one_named_speaker(text, expected):
    hits = hit(1, LINE, speaker="Ines"), hit(2, LINE, speaker="Caroline"), hit(3, LINE, speaker="user"), hit(4, LINE)
    hits = *hits, hit(5, LINE, speaker="Dr Ito"), hit(6, LINE, speaker="Dr Will")
    assert {n for n, each in factors(*hits, text=text).items() if "speaker" in each} == expected


def test_question_about_the_assistant_prefers_assistant_memories():
    hits = hit(1, LINE, speaker="user"), hit(2, LINE, speaker="assistant")
    assert ids(ranked(*hits, text="which tea")) == [1, 2]
    assert ids(ranked(*hits, text="which tea did you recommend")) == [2, 1]


@pytest.mark.parametrize("role", ["Assistant", "ASSISTANT", "AI"])
def test_role_is_recognised_in_any_letter_case(role):
    hits = hit(1, LINE, speaker="user"), hit(2, LINE, speaker=role)
    assert ids(ranked(*hits, text="which tea did you recommend")) == [2, 1]


def test_assistant_message_is_not_a_standing_instruction():
    hits = hit(1, "Always warm the pot.", speaker="assistant"), hit(2, "Always warm the pot.", speaker="user")
    got = factors(*hits)
    assert "instruction" in got[2]
    assert "instruction" not in got[1]


# --- dates ---


@pytest.mark.parametrize(
    ("day", "closer"),
    [
        pytest.param((2023, 5, 31), (2023, 6, 1), id="the end is exclusive"),
        pytest.param((2023, 6, 2), (2023, 6, 10), id="soon after the range"),
        pytest.param((2023, 6, 2), (2023, 4, 29), id="after the range rather than before"),
        pytest.param((2023, 4, 30), (2023, 4, 28), id="shortly before the range"),
        pytest.param((2023, 5, 1), (2023, 4, 30), id="the start is inclusive"),
    ],
)
def test_memory_nearer_to_the_date_range_ranks_first(day, closer):
    hits = hit(1, LINE, occurred_at=datetime(*closer, tzinfo=UTC)), hit(2, LINE, occurred_at=datetime(*day, tzinfo=UTC))
    assert ids(ranked(*hits, dates=MAY)) == [2, 1]


@pytest.mark.parametrize("day", [(2023, 6, 16), (2023, 4, 20), (2026, 1, 1)])
def test_memory_far_from_the_date_range_has_no_date_factor(day):
    assert "date" not in factors(hit(1, LINE, occurred_at=datetime(*day, tzinfo=UTC)), dates=MAY)[1]


def test_time_has_no_effect_without_date_range_or_recency():
    got = factors(hit(1, LINE, occurred_at=NOW), hit(2, LINE, occurred_at=NOW - timedelta(days=999)))
    assert got[1] == got[2]


def test_future_memory_is_as_recent_as_now():
    got = factors(hit(1, LINE, occurred_at=NOW), hit(2, LINE, occurred_at=NOW + timedelta(days=99)), recency=1.0)
    assert got[1] == got[2]


# --- sessions and context ---


def test_memory_without_session_gets_the_average_session_factor():
    good = hit(1, LINE, session_id="a", scores={"session_bm25": 3.0})
    poor = hit(2, LINE, session_id="b", scores={"session_bm25": 1.0})
    got = factors(good, poor, hit(3, LINE))
    assert got[3]["session"] == pytest.approx((got[1]["session"] + got[2]["session"]) / 2)
    assert ids(ranked(good, poor, hit(3, LINE))) == [1, 3, 2]


def test_without_sessions_there_is_no_session_factor():
    assert all("session" not in each for each in factors(hit(1, LINE), hit(2, LINE)).values())


def test_memory_without_context_uses_its_content_cosine():
    alone = hit(1, LINE, scores={"content_cosine": 0.6})
    same = hit(2, LINE, scores={"content_cosine": 0.6, "context_cosine": 0.6})
    got = factors(alone, same)
    assert got[1]["semantic_context"] == got[2]["semantic_context"]


# --- monotonicity ---

RAW = ("content_bm25", "context_matched", "content_cosine", "context_cosine", "session_bm25")
SCORES = st.dictionaries(st.sampled_from(RAW), st.floats(min_value=0, max_value=3), min_size=1)


@given(SCORES, st.data(), st.floats(min_value=0, max_value=3), st.lists(SCORES, max_size=3))
@settings(max_examples=60)
def test_raising_a_raw_score_never_lowers_relevance(scores, data, more, others):
    raised = data.draw(st.sampled_from(sorted(scores)))
    rest = [hit(n, LINE, session_id="s", scores=other) for n, other in enumerate(others, 2)]
    one = hit(1, LINE, session_id="s", scores=scores)
    better = one._replace(scores={**scores, raised: scores[raised] + more})
    before = next(c for c in ranked(one, *rest) if c.hit.memory_id == uid(1))
    after = next(c for c in ranked(better, *rest) if c.hit.memory_id == uid(1))
    assert after.relevance >= before.relevance - 1e-12


@given(SCORES, st.sampled_from(RAW), st.floats(min_value=0, max_value=3))
@settings(max_examples=60)
def test_additional_channel_never_lowers_relevance(scores, channel, value):
    if channel in scores or (channel == "context_cosine" and value < scores.get("content_cosine", 0.0)):
        return
    more_scores = {**scores, channel: value}
    [before] = ranked(hit(1, LINE, session_id="s", scores=scores))
    [after] = ranked(hit(1, LINE, session_id="s", scores=more_scores))
    assert after.relevance >= before.relevance - 1e-12


@given(st.permutations([*talk(0.1, 0.4, 0.4, 0.2), hit(9, LINE, speaker="Ines"), hit(8, "My tea, always.")]))
@settings(max_examples=30)
def test_relevance_does_not_depend_on_the_order_of_hits(shuffled):
    assert ids(ranked(*shuffled)) == ids(ranked(*sorted(shuffled, key=lambda each: each.seq)))
