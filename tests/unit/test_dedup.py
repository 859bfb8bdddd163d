"""Deduplication: no memory is shown twice, and statements that differ in an important word are not duplicates."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import AT, beside, candidate, ids, unit

from cognitive.context import dedup
from cognitive.context.dedup import drop_restated, window_sentences
from cognitive.context.sentences import ParsedSentence
from cognitive.context.similarity import SentenceSet, Thresholds
from cognitive.context.superseded import drop_older
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.trace import WindowSimilarity

pytestmark = pytest.mark.promise(number=6)

POLICY = Policy()
AXIS = unit(1, 0)


def window(*messages, vectors=None):
    return dedup.window(window_sentences(messages), vectors or {})


def compare_to(statements):
    return lambda _, own: statements.similarities(own)


def dropped_by(memory: str, *messages: str, cosine: float | None = None, policy=POLICY, **given):
    """Return the result of one memory against a window. A cosine gives the memory and the sentences vectors."""
    vectors = {} if cosine is None else dict.fromkeys(window_sentences(messages), AXIS)
    own = candidate(1, memory, vector=None if cosine is None else beside(cosine))
    return next(
        iter(
            drop_restated(
                [own], compare_to(window(*messages, vectors=vectors)), policy, **{"constants": CONSTANTS, **given}
            ).dropped
        ),
        None,
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, []),
        ({"trust": "host"}, [1]),
        ({"user_id": "ada"}, [1]),
        ({"claim": "port redis"}, [1]),
        ({"occurred_at": AT + timedelta(days=1)}, [1]),
    ],
)
def test_older_value_is_dropped_if_the_conversation_states_a_newer_one(given, kept):
    older = {"claim": "place user", "trust": "talk", "occurred_at": AT - timedelta(days=9), **given}
    newer = candidate(2, "My flat is in the north of Vienna.", claim="place user", trust="talk")
    own = [candidate(1, "My flat is in the old town of Graz.", **older), newer]
    compared = drop_restated(own, compare_to(window(newer.hit.content)), POLICY, CONSTANTS)
    result = drop_older(compared)
    assert (ids(compared.kept), ids(result.kept)) == ([1], kept)
    assert [each.disposition for each in result.dropped] == ["restated", "superseded"][: 2 - len(kept)]


def test_dropped_duplicate_does_not_outdate_the_candidate_it_repeats():
    text = "My flat is in the old town of Graz."
    older = candidate(1, text, claim="place user", trust="talk")
    again = candidate(2, text, claim="place user", trust="talk", occurred_at=AT + timedelta(days=9))
    compared = drop_restated([older, again], compare_to(window()), POLICY, CONSTANTS)
    assert [each.disposition for each in compared.dropped] == ["duplicate"]
    assert ids(drop_older(compared).kept) == [1]


def test_superseded_memory_is_no_duplicate_and_makes_none():
    old, twin, new = (
        candidate(n, "Tea is served at noon.", **given) for n, given in enumerate([{"replaced_by": 3}, {}, {}], 1)
    )
    assert ids(drop_restated([old, twin, new], compare_to(window()), POLICY, CONSTANTS).kept) == [1, 2]
    assert ids(drop_restated([twin, old], compare_to(window()), POLICY, CONSTANTS).kept) == [2, 1]


# (kind, memory, sentence of the window): similar statements that an embedding model does not distinguish
DISTINCT = [
    ("number", "Backups are kept for 30 days.", "Backups are kept for 90 days."),
    ("number", "The request timeout of the API is 30 seconds.", "The request timeout of the API is 60 seconds."),
    ("number", "The pool holds 5 connections per worker.", "The pool holds 50 connections per worker."),
    ("number", "Ines has 2 cats and a dog at home.", "Ines has 3 cats and a dog at home."),
    ("number", "The rent is 1,200 euros a month.", "The rent is 1,250 euros a month."),
    (
        "number",
        "The service listens on port 5432 inside the cluster.",
        "The service listens on port 5433 inside the cluster.",
    ),
    (
        "number",
        "Disk usage alert fires at 80% on the database host.",
        "Disk usage alert fires at 90% on the database host.",
    ),
    ("number", "The invoice of the agency was 4,300 euros.", "The invoice of the agency was 3,400 euros."),
    ("number", "The team has 12 engineers in total.", "The team has 21 engineers in total."),
    ("number", "Build 1042 broke the login page.", "Build 1043 broke the login page."),
    ("number in words", "Ines has two cats and a garden at home.", "Ines has three cats and a garden at home."),
    (
        "number in words",
        "The trial lasts fourteen days for every customer.",
        "The trial lasts thirty days for every customer.",
    ),
    (
        "unit",
        "The cache entry expires after 30 seconds by default.",
        "The cache entry expires after 30 minutes by default.",
    ),
    (
        "unit",
        "Uploads larger than 10 MB are refused by the gateway.",
        "Uploads larger than 10 GB are refused by the gateway.",
    ),
    ("unit", "The reserve price was 400 dollars per night there.", "The reserve price was 400 euros per night there."),
    ("date", "The audit takes place on 2026-03-01 in Berlin.", "The audit takes place on 2026-04-01 in Berlin."),
    ("date", "The launch is planned for 3 May this year.", "The launch is planned for 8 May this year."),
    ("date", "Caroline moved to the new flat on May 7.", "Caroline moved to the new flat on June 7."),
    (
        "date",
        "The standup meeting takes place every Monday morning.",
        "The standup meeting takes place every Thursday morning.",
    ),
    ("date", "the review was moved to tuesday after lunch", "the review was moved to friday after lunch"),
    (
        "date",
        "The certificate expires in March and renews itself.",
        "The certificate expires in April and renews itself.",
    ),
    ("date", "The contract ends on 31/12/2026 at noon.", "The contract ends on 31/12/2027 at noon."),
    ("date", "The offsite is in 2025 near the lake.", "The offsite is in 2026 near the lake."),
    ("time", "The nightly job starts at 02:30 on the worker.", "The nightly job starts at 03:30 on the worker."),
    ("time", "Tea is served at 4pm in the garden.", "Tea is served at 5pm in the garden."),
    ("time", "The shop closes at 18:00 on weekdays.", "The shop closes at 20:00 on weekdays."),
    ("version", "Production runs PostgreSQL 16.2 with pgvector.", "Production runs PostgreSQL 17.2 with pgvector."),
    ("version", "The client needs Python 3.11 or newer to run.", "The client needs Python 3.12 or newer to run."),
    (
        "version",
        "We pinned the library to v2.0.1 in the lock file.",
        "We pinned the library to v2.1.0 in the lock file.",
    ),
    ("version", "The firmware on the sensor is 4.2.0 now.", "The firmware on the sensor is 4.2.1 now."),
    ("negation", "The migration is safe to run twice.", "The migration is not safe to run twice."),
    ("negation", "Ines eats fish and cheese.", "Ines never eats fish and cheese."),
    ("negation", "The flag can be set at run time.", "The flag cannot be set at run time."),
    ("negation", "We deploy to production on Fridays.", "We don't deploy to production on Fridays."),
    ("negation", "Retries are enabled for the billing queue.", "Retries are disabled for the billing queue."),
    ("negation", "The endpoint requires a signed token.", "The endpoint requires no signed token."),
    ("negation", "Coffee is drunk with sugar in this house.", "Coffee is drunk without sugar in this house."),
    ("negation", "The restore test of the backup succeeded.", "The restore test of the backup failed."),
    ("negation", "Alerts are on for the staging cluster.", "Alerts are off for the staging cluster."),
    ("negation", "The old API is still used by the mobile app.", "The old API is no longer used by the mobile app."),
    ("negation", "the deploy can’t be rolled back after the switch", "the deploy can be rolled back after the switch"),
    ("negation", "I like cilantro in my soup.", "I don't like cilantro in my soup."),
    ("negation", "Nobody has tested the restore of the backup.", "Marek has tested the restore of the backup."),
    ("negation", "The warranty covers water damage.", "The warranty never covers water damage."),
    ("name", "The incident was handled by Ines on call.", "The incident was handled by Marek on call."),
    ("name", "The primary database of the shop is Postgres.", "The primary database of the shop is MySQL."),
    ("name", "The office of the design team is in Lyon.", "The office of the design team is in Paris."),
    ("name", "Ines leads the platform team of the company.", "Marek leads the platform team of the company."),
    ("name", "Caroline adopted a child last summer.", "Melanie adopted a child last summer."),
    ("name", "The key is stored in the vault under BILLING_KEY.", "The key is stored in the vault under SHIPPING_KEY."),
    ("name", "Please send the report to Zoë after lunch.", "Please send the report to Omar after lunch."),
    ("name", "The repository lives on GitHub for now.", "The repository lives on GitLab for now."),
    ("direction", "Data is copied from Postgres to Redis at night.", "Data is copied from Redis to Postgres at night."),
    ("direction", "Ines reports to Marek in the new organisation.", "Marek reports to Ines in the new organisation."),
    ("direction", "We migrated the shop from MySQL to Postgres.", "We migrated the shop from Postgres to MySQL."),
    ("direction", "Run the migration before the deploy of the API.", "Run the migration after the deploy of the API."),
    (
        "direction",
        "Traffic flows from Lyon to Paris over the new link.",
        "Traffic flows from Paris to Lyon over the new link.",
    ),
    ("script without spaces", "晨光读书会的地点是杭州。", "年度教师大会的地点是杭州。"),
    ("script without spaces", "我的邻居是做会计的。", "我的邻居是做老师的。"),
]

# Differences without a number, a negation or a name. Some of them are missed; the test limits how many.
SUBTLE = [
    ("time", "The meeting with the auditors is in the morning.", "The meeting with the auditors is in the afternoon."),
    ("negation", "The feature is supported on Windows.", "The feature is unsupported on Windows."),
    (
        "negation",
        "The endpoint is reachable from the office network.",
        "The endpoint is unreachable from the office network.",
    ),
    ("negation", "She has agreed to sell the house.", "She has refused to sell the house."),
    ("name", "the staging cluster runs in frankfurt on spot nodes", "the staging cluster runs in dublin on spot nodes"),
    ("name", "我们决定使用北京的数据中心。", "我们决定使用上海的数据中心。"),
    ("direction", "The limit was raised to protect the workers.", "The limit was lowered to protect the workers."),
    ("direction", "Latency increased after the index was added.", "Latency decreased after the index was added."),
    ("direction", "The build is faster than the test suite.", "The test suite is faster than the build."),
    ("choice", "Dark mode is the default theme of the editor.", "Light mode is the default theme of the editor."),
    (
        "choice",
        "The minimum size of the pool is set by operations.",
        "The maximum size of the pool is set by operations.",
    ),
    ("choice", "The first attempt of the import is logged.", "The last attempt of the import is logged."),
    ("choice", "Ines is allergic to peanuts and pollen.", "Ines is allergic to walnuts and pollen."),
    ("person", "My sister lives near the old harbour.", "My brother lives near the old harbour."),
    ("state", "The ticket about the login page is open.", "The ticket about the login page is closed."),
    ("quantity", "All customers received the apology by mail.", "Some customers received the apology by mail."),
    ("modality", "Every release must be signed by two people.", "Every release may be signed by two people."),
    ("tense", "Ines will move to Lyon with her family.", "Ines moved from Lyon with her family."),
    ("exclusion", "The discount applies to every plan.", "The discount applies to every plan except the free plan."),
]

# (kind, memory, sentence of the window)
SAME = [
    ("verbatim", "Backups are kept for 30 days.", "Backups are kept for 30 days."),
    ("case and mark", "Backups are kept for 30 days.", "backups are kept for 30 days!"),
    (
        "within more",
        "Backups are kept for 30 days.",
        "As you know, our nightly backups are kept for 30 days in Frankfurt.",
    ),
    ("order", "The nightly job starts at 02:30.", "At 02:30 starts the nightly job."),
    ("inflection", "Marek deploys services with Helm.", "Marek deployed the service with Helm."),
    ("typography", "Ines doesn't eat fish or cheese.", "Ines doesn’t eat fish or cheese."),
    ("negation in both", "The migration is not safe to run twice.", "The migration isn't safe to run twice."),
    ("version", "The client needs Python 3.11 or newer.", "Note: the client needs Python 3.11 or a newer one."),
    ("name", "The incident was handled by Ines.", "Ines handled the incident last night."),
    ("chinese", "我们决定使用北京的数据中心。", "昨天我们决定使用北京的数据中心。"),
    ("russian", "Бэкапы хранятся тридцать дней.", "Бэкапы хранятся тридцать дней на сервере."),
    (
        "a list item",
        "Redis was chosen for the session cache.",
        "Summary:\n- Redis was chosen for the session cache\n- tests pass",
    ),
]


def named(pair):
    return f"{pair[0]}: {pair[1]}"


@pytest.mark.parametrize("pair", DISTINCT, ids=named)
def test_distinct_pair_is_not_a_duplicate_by_words(pair):
    _, one, other = pair
    assert dropped_by(one, other) is None
    assert dropped_by(other, one) is None


@pytest.mark.parametrize("pair", DISTINCT, ids=named)
def test_distinct_pair_is_not_a_duplicate_at_cosine_095(pair):
    _, memory, statement = pair
    assert dropped_by(memory, statement, cosine=0.95) is None
    assert dropped_by(statement, memory, cosine=0.95) is None


@pytest.mark.parametrize("pair", DISTINCT, ids=named)
def test_two_distinct_candidates_are_both_kept(pair):
    _, one, other = pair
    assert ids(
        drop_restated([candidate(1, one), candidate(2, other)], compare_to(SentenceSet([])), POLICY, CONSTANTS).kept
    ) == [
        1,
        2,
    ]


def test_at_most_three_subtle_differences_are_missed():
    """Names in unspaced scripts and words too common to be stems (all, some, except) are missed."""
    for cosine in (None, 0.95):
        missed = [p for p in SUBTLE if dropped_by(*p[1:], cosine=cosine) or dropped_by(*p[:0:-1], cosine=cosine)]
        assert len(missed) <= 3, missed


@pytest.mark.parametrize("pair", SAME, ids=named)
def test_memory_restated_in_the_window_is_dropped_by_words(pair):
    _, memory, statement = pair
    result = dropped_by(memory, statement)
    assert result is not None
    assert (result.disposition, result.reason[:29]) == ("restated", "the conversation contains it ")
    assert result.value >= POLICY.dedup.containment_threshold


def test_case_table_is_large_enough():
    assert len(DISTINCT) + len(SUBTLE) + len(SAME) >= 70
    assert len({kind for kind, *_ in DISTINCT}) >= 8


@pytest.mark.parametrize("pair", SAME, ids=named)
def test_better_of_two_equivalent_candidates_is_kept(pair):
    _, one, other = pair
    selection = drop_restated([candidate(1, other), candidate(2, one)], compare_to(SentenceSet([])), POLICY, CONSTANTS)
    assert ids(selection.kept) == [1]
    assert [result.disposition for result in selection.dropped] == ["duplicate"]


# --- by meaning ---


def test_paraphrase_in_the_window_is_dropped_by_vector():
    result = dropped_by("The team picked a cache for tokens.", "Our choice for storage was made.", cosine=0.9)
    assert result is not None
    assert result.value == pytest.approx(0.9, abs=1e-6)
    assert "cosine 0.90" in result.reason


@pytest.mark.parametrize(("cosine", "dropped"), [(0.84, False), (0.849, False), (0.851, True), (0.99, True)])
def test_cosine_threshold_comes_from_the_policy(cosine, dropped):
    memory, statement = "The team picked a cache for tokens.", "Our choice for storage was made."
    assert (dropped_by(memory, statement, cosine=cosine) is not None) == dropped
    assert dropped_by(memory, statement, cosine=cosine, policy=Policy(dedup={"threshold": 0.5})) is not None
    assert dropped_by(memory, statement, cosine=cosine, policy=Policy(dedup={"threshold": 1.0})) is None


def test_without_vectors_a_lower_containment_suffices():
    memory = "The team picked Redis for sessions yesterday."
    half = "For its sessions the team has Redis."  # three stems of five
    assert dropped_by(memory, half) is not None
    assert dropped_by(memory, half, constants=Constants(lexical_dedup_threshold=0.9)) is None


def test_short_memories_are_not_compared_by_words():
    assert dropped_by("Yes, please.", "Yes, please.") is None
    assert dropped_by("", "Yes, please.") is None


# --- the window ---


def test_question_in_the_window_states_nothing():
    memory = "Backups are kept for 30 days."
    assert dropped_by(memory, "Is it true that backups are kept for 30 days?") is None
    assert dropped_by(memory, "Is it true? I read that backups are kept for 30 days.") is not None


@pytest.mark.parametrize(
    "message",
    [
        "备份保留三十天是真的吗？",
        'Did she say "backups are kept for 30 days?"',
        "Backups are kept for 30 days??",
        "Tell me about the bone glue in the cupboard.",
        "please remind me where the keys are",
        "Can you find the invoice",
        "what did we decide about the glue",
        "How to reach the depot",
        "ok, and who does deliver the boards",
        "I want to know which port it is",
        "is the depot open on Sunday",
    ],
)
def test_question_or_request_states_nothing(message):
    assert window_sentences([message]) == []


@pytest.mark.parametrize(
    "statement",
    [
        "When the server restarts, it drops connections.",
        "Where the road ends, turn left.",
        "I want the blue one.",
        "The list is in the drawer.",
        "What you bought arrived.",
    ],
)
def test_statement_with_a_question_word_is_a_statement(statement):
    assert window_sentences([statement]) == [statement]


def test_adjacent_sentences_can_state_a_memory_together():
    memory = "Marek chose Redis because the session cache needs expiry."
    assert dropped_by(memory, "Marek chose Redis. The session cache needs expiry.") is not None
    assert dropped_by(memory, "Marek chose Redis.", "The session cache needs expiry.") is not None


def test_distant_sentences_do_not_state_a_memory_together():
    memory = "Marek chose Redis because the session cache needs expiry."
    assert dropped_by(memory, "Marek chose Redis. It rained. Lunch was late. The session cache needs expiry.") is None


def test_contradicting_sentence_does_not_hide_a_restating_one():
    memory = "Backups are kept for 30 days."
    assert dropped_by(memory, "Backups are kept for 90 days. No wait. Backups are kept for 30 days.") is not None


def test_memory_is_eligible_again_after_its_restatement_left_the_window():
    memory = candidate(1, "Backups are kept for 30 days.")
    statement, other = "Backups are kept for 30 days.", "The weather is fine today."
    assert drop_restated([memory], compare_to(window(statement, other)), POLICY, CONSTANTS).kept == ()
    assert ids(drop_restated([memory], compare_to(window(other)), POLICY, CONSTANTS).kept) == [1]


@pytest.mark.parametrize(
    ("message", "stated"), [("locker code", False), ("VPN_HOST", False), ("I moved.", True), ("门禁密码是四", True)]
)
def test_key_words_state_nothing(message, stated):
    assert bool(window_sentences([message])) == stated


def test_only_the_bounded_end_of_a_long_message_is_compared():
    tail = "Backups are kept for 30 days."
    stated = window_sentences(["The weather is fine today. " * 100_000 + tail])
    assert stated[-1] == tail
    assert len(stated) <= 120
    assert sum(map(len, stated)) <= 20_000
    assert max(map(len, window_sentences(["x" * 1_000_000]))) <= 2_000


def test_newest_sentences_are_kept_when_there_are_too_many():
    stated = window_sentences([f"Sentence number {n} is here." for n in range(500)])
    assert stated[-1] == "Sentence number 499 is here."
    assert len(stated) == 120


def test_time_of_day_in_words_is_read():
    assert ParsedSentence.of("The train left at twenty to five.").words


def test_empty_window_drops_nothing():
    assert len(window()) == 0
    assert len(window("", "   ", "\n")) == 0
    assert ids(drop_restated([candidate(1)], compare_to(window()), POLICY, CONSTANTS).kept) == [1]


# --- similarity to the window, for every policy ---


def test_similarity_is_the_highest_among_compatible_sentences():
    memory = ParsedSentence.of("The backups are kept for 30 days.", AXIS)
    near = ParsedSentence.of("Backups are kept for 30 days, he says.", beside(0.7))
    paraphrase = ParsedSentence.of("For 30 days the backups stay on disk.", beside(0.9))
    contradicting = ParsedSentence.of("Backups are kept for 90 days.", beside(0.99))
    assert SentenceSet([near, paraphrase, contradicting]).similarities([memory])[0] == WindowSimilarity(0.9, 1.0, 0.85)
    assert SentenceSet([contradicting]).similarities([memory])[0] == WindowSimilarity(None, 0.0)
    assert SentenceSet([paraphrase, contradicting]).similarities([memory])[0].containment == 0.75
    assert SentenceSet([]).similarities([memory])[0] == WindowSimilarity(None, 0.0)


def test_order_of_the_window_does_not_change_similarity():
    memory = ParsedSentence.of("The backups are kept for 30 days.", AXIS)
    texts = {
        "It stays for 30 days.": 0.3,
        "For 30 days the backups live in Oslo.": 0.8,
        "Backups are kept for 30 days.": 0.5,
    }
    sentences = [ParsedSentence.of(text, beside(cosine)) for text, cosine in texts.items()]
    assert (
        SentenceSet(sentences).similarities([memory])[0]
        == SentenceSet(sentences[::-1]).similarities([memory])[0]
        == WindowSimilarity(0.8, 1.0, 0.775)
    )


def test_kept_candidate_carries_its_similarity_or_none():
    memory = candidate(1, "The green tea is served in the garden behind the house.")
    selection = drop_restated([memory], compare_to(window("The tea is served.")), POLICY, CONSTANTS)
    assert [kept.similarity for kept in selection.kept] == [WindowSimilarity(None, 0.333333)]
    assert [kept.similarity for kept in drop_restated([memory], lambda *_: [None], POLICY, CONSTANTS).kept] == [None]


# --- among candidates ---


def test_best_of_three_equal_candidates_is_kept():
    text = "Redis was chosen for the session cache."
    selection = drop_restated([candidate(n, text) for n in (3, 1, 2)], compare_to(SentenceSet([])), POLICY, CONSTANTS)
    assert ids(selection.kept) == [3]
    assert ids(result.candidate for result in selection.dropped) == [1, 2]


def test_equal_candidates_are_both_dropped_as_restated():
    statement = "Redis was chosen for the session cache."
    selection = drop_restated(
        [candidate(1, statement), candidate(2, statement)], compare_to(window(statement)), POLICY, CONSTANTS
    )
    assert [result.disposition for result in selection.dropped] == ["restated", "restated"]


def test_same_text_of_another_speaker_is_not_a_duplicate():
    text = "I really love painting lakes at dawn."
    selection = drop_restated(
        [candidate(1, text, speaker="Ines"), candidate(2, text, speaker="Caroline")],
        compare_to(SentenceSet([])),
        POLICY,
        CONSTANTS,
    )
    assert ids(selection.kept) == [1, 2]


TEXTS = st.sampled_from([text for _, *pair in (*DISTINCT[:8], *SAME) for text in pair])
VECTORS = st.none() | st.floats(-1, 1).map(beside)


@given(st.lists(st.tuples(TEXTS, VECTORS), max_size=10), st.lists(TEXTS, max_size=4), st.booleans())
@settings(max_examples=50, deadline=None)
def test_every_candidate_is_either_kept_in_order_or_dropped_once(cases, messages, embedded):
    vectors = dict.fromkeys(window_sentences(messages), AXIS) if embedded else {}
    candidates = [candidate(n, text, vector=vector, rank=n) for n, (text, vector) in enumerate(cases, 1)]
    selection = drop_restated(candidates, compare_to(window(*messages, vectors=vectors)), POLICY, CONSTANTS)
    kept, dropped = ids(selection.kept), ids(result.candidate for result in selection.dropped)
    assert sorted(kept + dropped) == list(range(1, len(cases) + 1))
    ranks = [each.rank for each in selection.kept]
    assert ranks == sorted(set(ranks))
    again = drop_restated(selection.kept, compare_to(window(*messages, vectors=vectors)), POLICY, CONSTANTS)
    assert again.kept == selection.kept


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_pair_of_texts_can_be_compared(one, other):
    for vector in (None, AXIS):
        memory = ParsedSentence.of(one, vector)
        like = SentenceSet([ParsedSentence.of(other, vector)]).similarities([memory])[0]
        verdict = Thresholds.of(POLICY, CONSTANTS).verdict(memory, like)
        assert verdict is None or 0 <= verdict[1] <= 1 + 1e-6
    assert np.isclose(np.linalg.norm(AXIS), 1)
