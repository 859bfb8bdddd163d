"""Rules that precede the score: the text with the requested identifier, and the newest of several versions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from making import AT, candidate, ids

from cognitive.context.ranking import identifiers, precede
from cognitive.plan import DateRange, RetrievalQuery
from cognitive.policy.constants import CONSTANTS, Constants

DAY = timedelta(days=1)


def preceded(question: str, *ordered, constants=CONSTANTS, **query) -> list[int]:
    return ids(precede(ordered, RetrievalQuery("fact", question, 5, **query), constants))


def parked(n: int, place: str, days: float, matched: float = 9.0, **fields):
    return candidate(
        n,
        f"Ada has parked the kayak at the {place}.",
        occurred_at=AT + days * DAY,
        scores={"content_matched": matched},
        **fields,
    )


@pytest.mark.parametrize(
    "text",
    [
        "QB-31132",
        "13.9.31",
        "v1.22.0",
        "CVE-2024-3094",
        "err_conn_reset",
        "E404",
        "192.168.1.12:8080",
        "84213",
        "a1b2c3d4",
    ],
)
def test_codes_releases_addresses_and_long_numbers_are_identifiers(text):
    assert identifiers(f"What about ({text})?") == (text.casefold(),)


@pytest.mark.parametrize(
    "text",
    ["2026", "mid-2023", "1990s", "500ml", "2nd", "covid-19", "5.11.2026", "2026-01-05", "10:30", "stand-up", "340"],
)
def test_dates_quantities_and_words_are_not_identifiers(text):
    assert identifiers(f"What about {text}?") == ()


def test_text_with_the_requested_identifier_ranks_first():
    near, longer, other, requested = (
        candidate(1, "Ticket QB-31133 is about the export."),
        candidate(2, "Ticket QB-311321 is about the import."),
        candidate(3, "Ticket XQB-31132 is about the index."),
        candidate(4, "The archive is what ticket qb-31132 is about."),
    )
    assert preceded("What is ticket QB-31132 about?", near, longer, other, requested) == [4, 1, 2, 3]


def test_longer_release_number_does_not_match_the_requested_one():
    longer, requested = candidate(1, "Ada runs 3.9.31.4 at home."), candidate(2, "The export breaks in 3.9.31.")
    assert preceded("What breaks in 3.9.31?", longer, requested) == [2, 1]


def test_text_with_both_identifiers_ranks_before_text_with_one():
    one, both = candidate(1, "QB-31132 is done."), candidate(2, "QB-31132 waits for NX-20417.")
    assert preceded("Does QB-31132 wait for NX-20417?", one, both) == [2, 1]


def test_newest_version_takes_the_rank_of_the_best_version():
    other = candidate(9, "Ada keeps her paddle in the attic.", scores={"content_matched": 4.0})
    got = preceded("Where is Ada's kayak?", parked(1, "quay", 1), other, parked(2, "pier", 3), parked(3, "lake", 2))
    assert got == [2, 9, 3, 1]


def test_version_matching_more_of_the_question_stays_first():
    assert preceded("Is Ada's kayak at the quay?", parked(1, "quay", 1, 12.0), parked(2, "pier", 3)) == [1, 2]


def test_version_stored_last_is_newest_at_equal_times():
    assert preceded("Where is Ada's kayak?", parked(1, "quay", 1), parked(2, "pier", 1)) == [2, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"speaker": "Ada"}, {"speaker": "Bo"}, id="another speaker"),
        pytest.param({}, {"type": "decision"}, id="another type"),
        pytest.param({}, {"partial": True}, id="a partial text"),
        pytest.param({}, {"replaced_by": 1}, id="superseded by the other"),
        pytest.param({"matched": 0.0}, {"matched": 0.0}, id="no word of the question"),
    ],
)
def test_similar_text_that_differs_in_a_field_is_not_a_version(one, other):
    assert preceded("Where is Ada's kayak?", parked(1, "quay", 1, **one), parked(2, "pier", 3, **other)) == [1, 2]


def test_much_longer_text_is_not_a_version():
    more = "Ada has parked the kayak at the quay and sold the green paddle to Bo, who paid forty crowns in March."
    longer = candidate(2, more, occurred_at=AT + 3 * DAY, scores={"content_matched": 9.0})
    assert preceded("Where is Ada's kayak?", parked(1, "quay", 1), longer) == [1, 2]


def test_versions_are_not_reordered_if_the_question_has_a_date():
    dates = DateRange(AT, AT + DAY, "on 1 September")
    assert preceded(
        "Where was Ada's kayak on 1 September?", parked(1, "quay", 0), parked(2, "pier", 3), dates=dates
    ) == [1, 2]


def test_other_statement_on_the_subject_is_not_a_version():
    old = candidate(1, "Ada sold the kayak to a neighbour.", scores={"content_matched": 9.0}, occurred_at=AT)
    assert preceded("What about Ada's kayak?", old, parked(2, "pier", 3)) == [1, 2]


def test_superseded_memory_ranks_below_even_with_the_identifier():
    old, new = candidate(1, "QB-31132 is open.", replaced_by=2), candidate(2, "The export ticket is closed.")
    assert preceded("What about QB-31132?", old, new) == [2, 1]
    assert ids(precede([old, new], None, CONSTANTS)) == [2, 1], "also without a query"


def test_last_of_a_replacement_chain_ranks_first_and_a_circle_ends():
    chain = [candidate(1, replaced_by=2), candidate(2, replaced_by=3), candidate(3)]
    assert preceded("When is tea?", *chain) == [3, 2, 1]
    assert sorted(preceded("When is tea?", candidate(1, replaced_by=2), candidate(2, replaced_by=1))) == [1, 2]


def test_highest_version_threshold_requires_equal_words():
    strict = Constants(version_threshold=1.0)
    assert preceded("Where is Ada's kayak?", parked(1, "quay", 1), parked(2, "pier", 3), constants=strict) == [1, 2]
