"""Rules that precede the score: requested identifiers, versions of one statement, and replacements."""

from __future__ import annotations

from datetime import timedelta

import pytest
from making import AT, beside, candidate, ids, unit

from cognitive.context.identifiers import identifiers
from cognitive.context.precedence import precede
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


def test_identifiers_at_both_ends_of_a_long_message_are_looked_for():
    pasted = " ".join(f"QB-{n}" for n in range(10_000, 20_000))
    first, middle, last = (candidate(n, f"About QB-{n}.") for n in (10_000, 15_000, 19_999))
    other = candidate(1, "The export is done.")
    assert preceded(pasted, other, middle, last, first) == [19_999, 10_000, 1, 15_000]


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


@pytest.mark.parametrize(("score", "order"), [(0.96, [2, 1, 3]), (0.94, [1, 2, 3])])
def test_time_decides_only_within_a_margin_of_the_score_range(score, order):
    old, new = parked(1, "quay", 1, score=1.0), parked(2, "pier", 3, score=score)
    last = candidate(3, "Ada keeps her paddle in the attic.", score=0.0)
    assert preceded("Where is Ada's kayak?", old, new, last) == order


def test_siblings_from_one_template_keep_the_order_of_scores():
    shelves = [
        candidate(n, f"Shelf {n} in the workshop holds {thing}.", scores={"content_matched": 9.0}, score=1 - n / 10)
        for n, thing in enumerate(["bolts", "nuts", "sandpaper", "glue", "rope"], 1)
    ]
    assert preceded("Which shelf in the workshop holds screws?", *shelves) == [1, 2, 3, 4, 5]


def claimed(n: int, content: str, claim: str | None, days: float = 0.0, **fields):
    given = {"scores": {"content_matched": 9.0}, "score": 1 - n / 10, **fields}
    return candidate(n, content, claim=claim, occurred_at=AT + days * DAY, **given)


def test_newer_of_two_equal_claims_is_first_whatever_the_scores():
    old = claimed(1, "The door code is 4471.", "code door", score=1.0)
    other = claimed(2, "The guard knows the door code.", None)
    new = claimed(3, "The code for the door is 8820 now.", "code door", 1, score=0.1)
    assert preceded("What is the door code?", old, other, new) == [3, 2, 1]


def test_claims_about_different_things_are_never_versions():
    one = claimed(1, "The door code of building A is 4471.", "a build code door", score=1.0)
    other = claimed(2, "The door code of building B is 8820.", "b build code door", 1, score=1.0)
    assert preceded("What is the door code?", one, other) == [1, 2]


def test_less_trusted_claim_does_not_displace_the_trusted_one():
    old = claimed(1, "The door code is 4471.", "code door", trust="host")
    new = claimed(2, "The code for the door is 8820 now.", "code door", 1, trust="foreign")
    assert preceded("What is the door code?", old, new) == [1, 2]


def test_denial_stands_above_the_statement_that_it_denies():
    old = claimed(1, "Marek Wryte developed the editing tool.", None)
    other = claimed(2, "The editing tool is slow.", None)
    new = claimed(3, "Rachelle Goldin, not Marek Wryte, developed the editing tool.", None, 1)
    assert preceded("Who developed the editing tool?", old, other, new) == [3, 1, 2]
    assert preceded("Who developed it?", claimed(1, old.hit.content, None, 2), new) == [1, 3], "an older denial"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Meeting room Amber has a projector and twelve seats.", "Meeting room Coral has no projector and ten seats."),
        ("Room Amber has no window and twelve old seats.", "Room Amber has no carpet and twelve old seats."),
    ],
    ids=["another subject", "two denials"],
)
def test_denials_from_one_template_are_siblings(one, other):
    assert preceded("Where is a projector?", claimed(1, one, None), claimed(2, other, None, 1)) == [1, 2]


def changed(content: str, cosine: float, **fields):
    return claimed(3, content, None, 1, vector=beside(cosine), **fields)


def test_announced_change_stands_above_the_nearest_older_claim():
    old = claimed(1, "My dentist is Dr. Patel.", "dentist user", vector=unit(1, 0))
    far = claimed(2, "My doctor is Dr. Roth.", "doctor user", vector=unit(0, 1))
    assert preceded("Who is my dentist?", old, far, changed("I've switched to Dr. Lind for my teeth.", 0.8)) == [
        3,
        1,
        2,
    ]
    assert preceded("Who is my dentist?", old, far, changed("Dr. Lind looks at my teeth.", 0.8)) == [1, 2, 3]
    assert preceded("Who is my doctor?", old, far, changed("I've switched to Dr. Lind for my heart.", 0.5)) == [1, 3, 2]


def test_announced_change_of_another_subject_keeps_its_place():
    old = claimed(1, "The base fee of the gym is 40 euros.", "base fee gym", vector=unit(1, 0))
    assert preceded("What does the gym cost?", old, changed("The gym has replaced its old lockers.", 0.8)) == [1, 3]
    mine = claimed(1, "My dentist is Dr. Patel.", "dentist user", vector=unit(1, 0))
    assert preceded("Who is my dentist?", mine, changed("My sister now goes to Dr. Lind.", 0.8)) == [1, 3]
    raised = changed("The base fee of the gym went up to 45 euros.", 0.8)
    assert preceded("What does the gym cost?", old, raised) == [3, 1]


def test_latest_wish_of_the_user_is_first_within_a_wider_margin():
    def wish(n, content, score, speaker="user"):
        at, vector = AT + n * DAY, unit(1, 0)
        return candidate(n, content, speaker=speaker, score=score, occurred_at=at, vector=vector)

    last = candidate(9, score=0.0)
    said = [wish(1, "Find the cheapest gas station.", 1.0), wish(2, "Show me stations with green fuel.", 0.9), last]
    assert preceded("Where can I refuel?", *said) == [2, 1, 9]
    told = [wish(1, "My aunt is 58 years old.", 1.0), wish(2, "My niece is 12 years old.", 0.9), last]
    assert preceded("How old is my aunt?", *told) == [1, 2, 9]


def test_wish_is_compared_with_wishes_only():
    """Wishes match the question's words differently, and a statement that matches with 1.0 is no wish."""
    fields = {"speaker": "user", "vector": unit(1, 0), "type": "episode"}
    new, old, last = (
        candidate(1, "Find me cheap gas.", score=0.9, occurred_at=AT + DAY, scores={"content_matched": 3.0}, **fields),
        candidate(2, "Show me stations with green fuel.", score=1.0, scores={"content_matched": 2.0}, **fields),
        candidate(9, score=0.0),
    )
    assert preceded("Where can I refuel?", old, new, last) == [1, 2, 9]
    said = candidate(
        3, "The station sells green fuel.", score=0.97, occurred_at=AT + DAY, scores={"content_matched": 1.0}, **fields
    )
    assert preceded("Where can I refuel?", old, said, last) == [2, 3, 9]


def moved(question: str, *ordered, **query) -> dict[int, str]:
    """Return the reasons of the candidates that a rule moved, by number."""
    arranged = precede(ordered, RetrievalQuery("fact", question, 5, **query), CONSTANTS)
    return {each.hit.memory_id.int: each.moved for each in arranged if each.moved}


def test_only_candidates_that_a_rule_moved_have_a_reason():
    other, requested = candidate(1, "Ticket QB-31133 is open."), candidate(2, "Ticket QB-31132 is open.")
    assert moved("What about QB-31132 and E404?", other, requested) == {2: "it contains 1 of 2 identifiers: qb-31132"}
    assert moved("What about QB-31132?", requested, other) == {}
    assert moved("What about the tickets?", other, requested) == {}


def test_reason_of_a_tie_has_the_distance_and_the_margin():
    old, new = parked(1, "quay", 1, score=1.0), parked(2, "pier", 3, score=0.96)
    last = candidate(3, "Ada keeps her paddle in the attic.", score=0.0)
    rule = "of 2 texts on one matter with scores within 0.040 (a tie is up to 0.050), the newer is first"
    assert moved("Where is Ada's kayak?", old, new, last) == {1: rule, 2: rule}


def test_reasons_of_versions_denials_changes_and_replacements():
    old, new = claimed(1, "The door code is 4471.", "code door"), claimed(2, "It is 8820 now.", "code door", 1)
    rule = "of 2 memories that state the same attribute of the same subject, the newer is first"
    assert set(moved("What is the door code?", old, new).values()) == {f"{rule} (the newest is of 2026-09-02 12:00)"}
    said = claimed(1, "Marek Wryte developed the editing tool.", None)
    denial = claimed(2, "Rachelle Goldin, not Marek Wryte, developed the editing tool.", None, 1)
    assert moved("Who developed the editing tool?", said, denial) == {
        2: "a denial is above the older text that it denies (it repeats 1.00 of that text's words, at least 0.60)"
    }
    old = claimed(1, "My dentist is Dr. Patel.", "dentist user", vector=unit(1, 0))
    assert moved("Who is my dentist?", old, changed("I've switched to Dr. Lind for my teeth.", 0.8)) == {
        3: "an announced change is above the older text that it changes (cosine 0.80, at least 0.40)"
    }
    assert moved("When is tea?", candidate(1, replaced_by=2), candidate(2)) == {
        1: "a replaced memory is behind its replacement"
    }


def test_candidate_that_ends_where_it_began_has_no_reason():
    """The identifier moves the first up; its replacement moves it back down."""
    new, old = candidate(2, "The export ticket is closed."), candidate(1, "QB-31132 is open.", replaced_by=2)
    assert moved("What about QB-31132?", new, old) == {}
