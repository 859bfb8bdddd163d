"""A recording restores the inputs of a turn exactly, with the texts read from the store."""

from __future__ import annotations

import dataclasses
import json
import zlib
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import AT, candidate, found, hit, uid, unit

from brain.passage_texts import PASSAGE_FIELDS, PassageText
from brain.search import Hit, Masses, SearchResult
from cognitive.errors import InvalidInput
from cognitive.plan import DateRange, Listing, Signals
from cognitive.recording.record import TurnInputs, encode, sha256
from cognitive.recording.recorded import NOTHING, Recording, decode
from cognitive.trace import Boost, CandidateResult, WindowSimilarity

EXACT = st.floats(allow_nan=False, allow_infinity=False)


def turn_inputs(*hits: Hit, **facts) -> TurnInputs:
    signals = Signals("When was that?", dates=DateRange(AT, AT + timedelta(days=1), "then"), hints=(("fact", 0.1),))
    return TurnInputs(signals, "question", ("a", "b"), None, AT, "model", found(*hits, **facts))


def passage_texts(*hits: Hit) -> dict[tuple, PassageText]:
    return {(h.memory_id, h.ordinal): PassageText(**{name: getattr(h, name) for name in PASSAGE_FIELDS}) for h in hits}


def recorded(inputs: TurnInputs, *results: CandidateResult) -> Recording:
    return decode(encode(inputs, results, text="text", prefix=""))


def same(one: TurnInputs, other: TurnInputs) -> bool:
    """Return whether two inputs are equal apart from vectors, which numpy does not compare as a whole."""
    bare = [tuple(h._replace(vector=None) for h in each.found.hits) for each in (one, other)]
    empty = [dataclasses.replace(each, found=dataclasses.replace(each.found, hits=())) for each in (one, other)]
    return bare[0] == bare[1] and empty[0] == empty[1]


def test_restored_inputs_equal_the_recorded_inputs():
    hits = [
        hit(1, "One.", scores={"content_cosine": 0.123456789, "session_bm25": 1e-9}),
        hit(1, "Two.", ordinal=1, scores={}),
        hit(
            2,
            "Three.",
            replaced_by=9,
            vector=unit(1, 2),
            speaker="Ines",
            usage_shown=0.1 + 0.2,
            usage_used=1 / 3,
            times_shown=3,
            times_used=1,
            usage_at=AT + timedelta(microseconds=1),
            scores={"content_bm25": 2.5},
        ),
    ]
    inputs = turn_inputs(
        *hits, idf={"b": 0.1, "a": 2.0}, session_idf={"a": 1.0}, passages=7, base={"fact": Masses(1.5, 0.5, AT)}
    )
    record = recorded(inputs)
    restored = record.restored(passage_texts(*hits), {})
    assert same(restored.inputs, inputs)
    assert list(restored.inputs.found.idf) == ["b", "a"], "the order is kept, since sums depend on it"
    assert (restored.gone, restored.changed) == (frozenset(), frozenset())
    assert (record.text, record.prefix, record.model) == (sha256("text"), sha256(""), "model")


def test_already_in_prompt_is_restored_and_empty_for_older_records():
    inputs = dataclasses.replace(turn_inputs(hit(1)), already_in_prompt=((uid(1), 0, 4), (uid(7), 2, 1)))
    assert recorded(inputs).restored(passage_texts(hit(1)), {}).inputs.already_in_prompt == inputs.already_in_prompt
    document = json.loads(zlib.decompress(b64decode(encode(inputs, (), text="", prefix=""))))
    del document["facts"]["already_in_prompt"]
    older = decode(b64encode(zlib.compress(json.dumps(document).encode())).decode())
    assert older.restored(passage_texts(hit(1)), {}).inputs.already_in_prompt == ()


def test_listing_and_history_are_restored_and_absent_in_older_records():
    listing = Listing((("decision",), ("episode",)), ("garden",), own=True)
    inputs = turn_inputs(hit(1))
    inputs = dataclasses.replace(inputs, signals=dataclasses.replace(inputs.signals, listing=listing, history=True))
    assert recorded(inputs).restored(passage_texts(hit(1)), {}).inputs.signals == inputs.signals
    document = json.loads(zlib.decompress(b64decode(encode(inputs, (), text="", prefix=""))))
    del document["facts"]["signals"]["listing"], document["facts"]["signals"]["history"]
    older = decode(b64encode(zlib.compress(json.dumps(document).encode())).decode())
    signals = older.restored(passage_texts(hit(1)), {}).inputs.signals
    assert (signals.listing, signals.history) == (None, False)


@given(st.lists(st.tuples(EXACT, EXACT, EXACT), min_size=1, max_size=20))
def test_numbers_are_restored_exactly(numbers):
    hits = [hit(n, scores={"x": a}, usage_shown=b, usage_used=c) for n, (a, b, c) in enumerate(numbers, 1)]
    back = recorded(turn_inputs(*hits)).restored(passage_texts(*hits), {}).inputs.found.hits
    assert [(h.scores["x"].hex(), h.usage_shown.hex(), h.usage_used.hex()) for h in back] == [
        (a.hex(), b.hex(), c.hex()) for a, b, c in numbers
    ]


@given(st.datetimes(timezones=st.just(UTC) | st.just(timezone(timedelta(hours=5, minutes=30)))))
def test_times_are_restored_exactly(at: datetime):
    back = recorded(turn_inputs(hit(1, usage_at=at))).restored(passage_texts(hit(1)), {}).inputs.found.hits
    assert back[0].usage_at == at


@pytest.mark.parametrize(
    "change",
    [
        {"content": "Tea is served at one."},
        {"speaker": "Ines"},
        {"partial": True},
        {"confidence": 0.5},
        {"occurred_at": AT + timedelta(seconds=1)},
        {"pinned": True},
        {"vector": unit(1, 0)},
        {"session_id": "s"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_changed_memory_is_detected(change):
    restored = recorded(turn_inputs(hit(1), hit(2))).restored(passage_texts(hit(1), hit(2, **change)), {})
    assert restored.changed == {uid(2)}
    assert restored.gone == frozenset()


def test_erased_memory_is_left_out_and_reported():
    restored = recorded(turn_inputs(hit(1), hit(2))).restored(passage_texts(hit(2)), {})
    assert [h.memory_id for h in restored.inputs.found.hits] == [uid(2)]
    assert restored.gone == {uid(1)}


def test_dispositions_and_similarities_are_restored():
    one = candidate(1, factors={"words": 0.1}, boost=Boost(1.2, 3.0, 1.0, "used"), score=0.5, rank=1, tokens=9)
    one = one._replace(similarity=WindowSimilarity(0.81, 0.5), propensity=0.25)
    two = candidate(2)._replace(similarity=WindowSimilarity(None, 0.0))
    three = candidate(3)
    results = [
        CandidateResult(one, "shown", 0.5, "rank 1"),
        CandidateResult(two, "over_limit", 6, "place 6 of 5"),
        CandidateResult(three, "irrelevant", 0.1, "no"),
    ]
    record = recorded(turn_inputs(one.hit, two.hit, three.hit), *results)
    assert record.similarity == {(uid(1), 0): WindowSimilarity(0.81, 0.5), (uid(2), 0): WindowSimilarity(None, 0.0)}
    assert [(result.memory_id, result.disposition, result.reason) for result in record.candidates] == [
        (uid(1), "shown", "rank 1"),
        (uid(2), "over_limit", "place 6 of 5"),
        (uid(3), "irrelevant", "no"),
    ]
    assert record.candidates[0].factors == {"words": 0.1}
    assert record.candidates[0].boost == one.boost
    assert [result.propensity for result in record.candidates] == [0.25, None, None]


def test_causes_of_a_rank_are_recorded_where_there_are_any():
    one, two = candidate(1)._replace(lowered="multiplied by 0.50"), candidate(2)
    results = [CandidateResult(each, "shown", 0.5, "x") for each in (one, two)]
    read = recorded(turn_inputs(one.hit, two.hit), *results).candidates
    assert [(each.lowered, each.moved) for each in read] == [("multiplied by 0.50", ""), ("", "")]


def test_low_ranked_candidates_are_recorded_without_factors():
    far = [candidate(n, factors={"words": 0.1}, rank=n) for n in range(1, 50)]
    results = [CandidateResult(c, "over_limit" if c.rank < 49 else "shown", 1.0, "x") for c in far]
    results_read = recorded(turn_inputs(*(c.hit for c in far)), *results).candidates
    assert [result.factors is not None for result in results_read] == [True] * 30 + [False] * 18 + [True]


def test_missing_record_decodes_to_an_empty_recording():
    assert decode(None) is NOTHING
    assert NOTHING.candidates == ()


def test_unknown_record_form_is_refused():
    document = json.loads(zlib.decompress(b64decode(encode(turn_inputs(), (), text="", prefix=""))))
    other = b64encode(zlib.compress(json.dumps(document | {"form": 99}).encode())).decode()
    with pytest.raises(InvalidInput, match="format 99"):
        decode(other)


def test_search_result_without_hits_is_restored():
    assert recorded(turn_inputs()).restored({}, {}).inputs == turn_inputs()
    assert SearchResult(()) == turn_inputs().found
