"""Listings: which messages ask for a list, and which candidates belong to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from making import AT, candidate, ids

from cognitive.context.listing import keep_listed
from cognitive.context.superseded import with_predecessors
from cognitive.plan import DateRange, Listing, Signals
from cognitive.preflight import signals
from cognitive.preflight.follow_ups import Earlier
from cognitive.trace import CandidateResult, StageResult

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
FACTS = (("fact",),)


def listing_of(text: str, previous: str = "") -> Listing | None:
    return signals.read(text, now=NOW, earlier=lambda: Earlier(previous)).listing


def drop_all(candidates) -> StageResult:
    return StageResult((), tuple(CandidateResult(each, "irrelevant", 0.0, "none") for each in candidates))


def keep_all(candidates) -> StageResult:
    return StageResult(tuple(candidates))


def listed(candidates, listing: Listing, dates: DateRange | None = None, passages: int = 10) -> StageResult:
    return keep_listed(candidates, Signals("", listing=listing, dates=dates), passages, drop_all, abstention=True)


def test_members_of_a_family_belong_to_a_list_about_it():
    texts = ("My wife is Priya.", "The tea is in the kitchen.", "Our family meets in May.")
    candidates = [candidate(n, text, rank=n) for n, text in enumerate(texts, 1)]
    assert ids(listed(candidates, Listing(FACTS, ("family",), own=True)).kept) == [1, 3]


@pytest.mark.parametrize(
    ("text", "types", "topic"),
    [
        ("What do you know about me?", ("fact", "episode"), ()),
        ("List all decisions", ("decision",), ()),
        ("which runbooks do we have?", ("procedure",), ()),
        ("list our decisions about billing", ("decision",), ("billing",)),
        ("What did I do yesterday?", ("decision", "fact", "procedure", "episode"), ()),
        ("What did I say about Anna on Monday?", ("decision", "fact", "procedure", "episode"), ("anna",)),
        ("What have I told you about my team?", ("fact", "episode"), ("team",)),
        ("What did we decide about the last order?", ("decision",), ("order",)),
        ("list our staff", ("decision", "fact", "procedure", "episode"), ("staff",)),
        ("What did the team work on last Monday?", ("decision", "fact", "procedure", "episode"), ()),
        ("show me the updates from last week", ("decision", "fact", "procedure", "episode"), ()),
    ],
)
def test_request_names_types_and_topic(text, types, topic):
    listing = listing_of(text)
    assert listing is not None
    assert (listing.types[0], listing.topic) == (types, topic)


@pytest.mark.parametrize(
    "text",
    [
        "what's new?",
        "list three cities in France",
        "remind me to call mum tomorrow",
        "Yesterday I bought a car",
        "How do I list all files in a folder?",
        "What is our port?",
        "Which database do we use?",
        "Why did we choose Redis over Memcached?",
        "I decided to stay in Rome",
        "tell me a joke",
        "summarise this article about trains",
        "What is the title of the book that Ann Lee wrote in 2019?",
    ],
)
def test_other_messages_ask_for_no_list(text):
    assert listing_of(text) is None


def test_follow_up_repeats_the_list_for_another_time():
    follow_up = signals.read("and last week?", now=NOW, earlier=lambda: Earlier("What did we decide yesterday?"))
    assert follow_up.listing is not None
    assert follow_up.listing.types[0] == ("decision",)
    assert follow_up.dates.phrase == "last week"


@pytest.mark.parametrize("text", ["Can I still return it?", "When did we make the second one?"])
def test_follow_up_about_one_thing_asks_for_no_list(text):
    follow_up = signals.read(text, now=NOW, earlier=lambda: Earlier("What did we decide yesterday?"))
    assert (follow_up.elliptic, follow_up.listing) == (True, None)


def test_list_about_the_user_has_the_users_own_memories_of_all_types():
    shared = [candidate(n, f"Article {n} is sold in one size.", seq=n) for n in (1, 2)]
    own = [
        candidate(3, "Eva has two cats.", user_id="eva", occurred_at=AT - timedelta(days=9)),
        candidate(4, "Eva keeps the blue lamp.", user_id="eva", type="decision"),
        candidate(5, "Where is my parcel?", user_id="eva", type="episode", speaker="user"),
    ]
    about = listing_of("What do you know about me?")
    assert ids(listed([*shared, *own], about).kept) == [4, 3]
    assert ids(listed([*shared, candidate(6, "The user is a nurse.")], about).kept) == [6, 2, 1]


def test_list_without_a_date_leaves_out_lines_that_state_nothing():
    asked = candidate(1, "Where is my parcel?", type="episode", speaker="user", seq=9)
    stated = candidate(2, "My parcel is at the shop.", type="episode", speaker="user")
    everything = Listing((("fact", "episode"),))
    assert ids(listed([asked, stated], everything).kept) == [2]
    assert ids(listed([asked], everything).kept) == [1]
    today = DateRange(AT - timedelta(hours=1), AT + timedelta(hours=1), "today")
    assert ids(listed([asked, stated], everything, today).kept) == [1, 2]


def test_list_without_topic_is_newest_first_and_drops_the_rest():
    own = [
        candidate(1, type="fact", occurred_at=AT),
        candidate(2, type="fact", occurred_at=AT + timedelta(days=1)),
        candidate(3, type="episode"),
    ]
    result = listed(own, Listing(FACTS))
    assert ids(result.kept) == [2, 1]
    assert [dropped.reason for dropped in result.dropped] == ["not listed: the message asks for all facts"]


def test_list_is_limited_to_its_dates_and_to_planned_dates():
    week = DateRange(AT, AT + timedelta(days=7), "this week")
    own = [
        candidate(1, occurred_at=AT - timedelta(days=1)),
        candidate(2, occurred_at=AT + timedelta(days=1)),
        candidate(3, occurred_at=AT - timedelta(days=9), attributes={"date": "2026-09-04"}),
    ]
    assert ids(listed(own, Listing(FACTS), week).kept) == [2, 3]


def test_later_types_are_listed_only_if_the_first_have_nothing():
    own = [candidate(1, type="episode"), candidate(2, type="procedure")]
    assert ids(listed(own, Listing((("decision",), ("episode",)))).kept) == [1]
    assert listed(own, Listing((("decision",),))).kept == ()


def test_topic_is_matched_by_word_stems_or_by_meaning():
    named = candidate(1, "She is allergic to nuts; her allergies are severe.")
    similar = candidate(2, "Pollen makes her sneeze.", scores={"content_cosine": 0.3})
    other = candidate(3, "The rent is due on Monday.", scores={"content_cosine": 0.1})
    mine = Listing(FACTS, ("allergy",), own=True)
    assert ids(listed([named, similar, other], mine).kept) == [1, 2]
    assert ids(listed([named, similar, other], Listing(FACTS, ("allergy",))).kept) == [1]
    assert ids(listed([similar], mine, passages=10_000).kept) == [], "among many, some are similar by chance"


def test_general_word_as_topic_lists_all_if_no_memory_names_it():
    about = listing_of("What have I told you about my team?")
    named = candidate(1, "The team has three new members.")
    others = [candidate(2, "Ana leads the sales.", seq=2), candidate(3, "Tea is at noon.", seq=3)]
    assert ids(listed([*others, named], about).kept) == [1]
    assert ids(listed(others, about).kept) == [2, 3]


@pytest.mark.parametrize("topic", [(), ("garden",)])
def test_list_without_abstention_drops_nothing(topic):
    own = [
        candidate(1, "Anna plants the garden.", type="episode"),
        candidate(2, "The garden is wet.", occurred_at=AT),
        candidate(3, "The garden has a pond.", occurred_at=AT + timedelta(days=1)),
        candidate(4, "The rent is due.", type="decision"),
    ]
    asked = Signals("", listing=Listing(FACTS, topic))
    result = keep_listed(own, asked, 10, keep_all, abstention=False)
    assert ids(result.kept) == ([2, 3, 1, 4] if topic else [3, 2, 1, 4])
    assert result.dropped == ()
    assert [each.hit.memory_id.int for each in result.kept if each.note] == ids(result.kept)[:2]


@pytest.mark.parametrize(
    ("types", "order"), [((("decision",),), [3, 1, 2]), ((("decision", "fact", "procedure", "episode"),), [1, 2, 3])]
)
def test_memories_of_the_type_that_a_message_names_come_first(types, order):
    own = [
        candidate(1, "Let's go with Redis.", type="episode"),
        candidate(2, "Redis has 1 GB now.", type="episode"),
        candidate(3, "Redis comes back as a cache.", type="decision"),
    ]
    asked = Signals("", listing=Listing(types, ("redis",)))
    assert ids(keep_listed(own, asked, 10, keep_all, abstention=True).kept) == order


def test_predecessors_follow_their_replacements_in_a_list():
    own = [
        candidate(1, replaced_by=2, occurred_at=AT - timedelta(days=9)),
        candidate(2, replaced_by=3, occurred_at=AT - timedelta(days=8), type="episode"),
        candidate(3, occurred_at=AT),
        candidate(4, occurred_at=AT + timedelta(days=1)),
        candidate(5, type="episode"),
    ]
    dropped = tuple(CandidateResult(own[n], "irrelevant", 0.0, "not listed") for n in (0, 1, 4))
    result = with_predecessors(own, StageResult((own[3], own[2]), dropped))
    assert ids(result.kept) == [4, 3, 2, 1]
    assert ids(each.candidate for each in result.dropped) == [5]


def test_predecessors_that_replace_each_other_end():
    own = [candidate(1, replaced_by=2), candidate(2, replaced_by=1), candidate(3, replaced_by=2)]
    assert ids(with_predecessors(own, StageResult((own[0],), ())).kept) == [1, 2, 3]
    assert ids(with_predecessors(own, StageResult((), ())).kept) == []


def test_list_about_the_user_begins_with_what_speaks_of_the_user():
    own = [
        candidate(1, "The user lives in Graz.", occurred_at=AT),
        candidate(2, "The port is 8080.", occurred_at=AT + timedelta(days=1)),
        candidate(3, "I have two cats.", occurred_at=AT - timedelta(days=1)),
    ]
    assert ids(listed(own, Listing(FACTS, about_user=True)).kept) == [1, 3, 2]
