"""Every rule matches its examples, small talk is separated from content, and signals are deterministic."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.errors import InvalidInput, PolicyError
from cognitive.plan import Signals
from cognitive.preflight import signals, topics
from cognitive.preflight.follow_ups import Earlier
from cognitive.preflight.listings import LISTING_RULES
from cognitive.preflight.rules.follow_ups import EXPLETIVE_RULES, FOLLOW_UP_RULES, PRONOUN_RULES
from cognitive.preflight.rules.history import HISTORY_RULES
from cognitive.preflight.rules.matching import Rule, RuleTable, fold
from cognitive.preflight.rules.signals import ENTITIES, RULES
from cognitive.preflight.rules.smalltalk import PHRASES

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
BEFORE = "Alpha beta gamma."  # fires no rule, so that all fired rules come from the message
ALL = (*PHRASES, *FOLLOW_UP_RULES, *PRONOUN_RULES, *RULES, *LISTING_RULES, *HISTORY_RULES)


def read(text: str, previous: str = "") -> Signals:
    return signals.read(text, now=NOW, earlier=lambda: Earlier(previous))


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.id)
def test_every_rule_fires_on_its_examples_and_on_no_counterexample(rule):
    assert rule.examples
    for example in rule.examples:
        assert rule.id in read(example, BEFORE).fired, example
    for example in rule.counterexamples:
        assert rule.id not in read(example, BEFORE).fired, example


@pytest.mark.parametrize("rule", EXPLETIVE_RULES, ids=lambda rule: rule.id)
def test_pronoun_without_reference_makes_no_message_elliptic(rule):
    table = RuleTable([rule])
    assert all(table.fired(fold(example).lower()) for example in rule.examples)
    assert not any(read(example, BEFORE).elliptic for example in rule.examples)
    assert not any(table.fired(fold(example).lower()) for example in rule.counterexamples)


def test_rule_ids_are_unique():
    assert len({rule.id for rule in ALL}) == len(ALL)


def test_nonlinear_pattern_is_refused_with_its_rule_id():
    with pytest.raises(PolicyError, match=r"'bad\.rule'"):
        RuleTable([Rule("bad.rule", "question", r"(?<=a)b")]).fired(b"ab")


SMALL_TALK = (
    "hey",
    "Hello!",
    "hi there",
    "good morning",
    "Good evening everyone",
    "thanks a lot!",
    "ok",
    "thank you so much",
    "how are you?",
    "hey how's it going",
    "bye",
    "see you later",
    "What's up?",
    "sup",
    "yo",
    "Hi Bob!",
    "Thanks, Zoë!",
    "have a nice day",
    "it was great talking to you",
    "gotta go",
    "that's all for now, bye",
    "nice to meet you",
    "haha",
    "I appreciate your help",
    "you're the best thanks so much!",
    "are you okay",
    "yes",
    "no",
    "maybe",
    "not sure to be honest",
    "my answer to your question is yes",
    "that's true",
    "affirmative",
    "I don't know",
    "no, that is incorrect",
    "hello world",
    "👍",
    "...",
    "",
    "   ",
    "heyyyy",
    "thx 😊",
    "what’s new?",
    "Good night! See you tomorrow.",
    "ok thanks",
    "continue",
    "the second one",
    "why?",
)


@pytest.mark.parametrize("text", SMALL_TALK)
def test_small_talk_is_a_greeting_without_other_signals(text):
    assert read(text) == Signals(text.strip(), greeting=True, fired=read(text).fired)


CONTENT = (
    "what did we decide about the schema?",
    "hello world program fails",
    "I'm Tom",
    "what's up with the failing build?",
    "who am I?",
    "do you remember me?",
    "what did I say?",
    "have we met?",
    "is everything ok with the build",
    "did I say yes?",
    "when did Caroline paint?",
    "SQL or NoSQL for the API?",
    "what is my name?",
    "What have I been doing lately?",
    "how are you deployed on k8s",
    "thanks to the cache it is fast",
    "good morning routine ideas",
    "help me",
    "see you later in the log",
    "yes, use Postgres for the API",
    "maybe Redis",
    "我们决定用什么数据库",
    "что мы решили",
    "remind me",
    "are we friends?",
    "do you know me",
    "was I wrong?",
    "I have to run the migration",
    "no tests were run",
)


@pytest.mark.parametrize("text", CONTENT)
@pytest.mark.parametrize("greeting", ["", "Hey, ", "hi! ", "Hello there. ", "Good morning, "])
def test_content_after_a_greeting_is_kept(greeting, text):
    parsed = read(greeting + text)
    assert not parsed.greeting
    assert parsed.text.endswith(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi, what did we decide about the schema?", "what did we decide about the schema?"),
        ("hey what did we decide about Redis", "what did we decide about Redis"),
        ("Good morning! How are you? Is Redis up?", "Is Redis up?"),
        ("Is Redis up? Thanks!", "Is Redis up?"),
        ("Hey Caroline, when did you paint?", "Caroline, when did you paint?"),
        ("hello world program fails", "hello world program fails"),
        ("what's up with the failing build?", "what's up with the failing build?"),
        ("Nice, Lyon and Paris have offices", "Nice, Lyon and Paris have offices"),
    ],
)
def test_only_pleasantries_are_removed(text, expected):
    assert read(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "continue",
        "yes",
        "the second one",
        "go ahead",
        "do it",
        "and why?",
        "ok",
        "👍",
        "what about staging?",
        "no",
        "What did we stop because of it?",
    ],
)
def test_elliptic_message_is_read_with_the_previous_one(text):
    parsed = read(text, "Hi! How do we deploy the billing service?")
    assert parsed.elliptic
    assert not parsed.greeting
    assert parsed.text == f"How do we deploy the billing service?\n{text}"
    assert {"deploy", "billing", "service"} <= set(parsed.keywords)
    assert dict(parsed.hints)["procedure"] > 0


@pytest.mark.parametrize(
    "text",
    [
        "hey",
        "thanks a lot!",
        "ok thanks",
        "bye",
        "how are you?",
        "great job",
        "Thanks, that's great!",
        "Ok, that's great.",
    ],
)
def test_pleasantries_stay_small_talk_after_any_message(text):
    assert read(text, "How do we deploy the billing service?").greeting


def test_elliptic_message_takes_a_missing_date_from_the_previous_one():
    before = "what did we deploy last week?"
    borrowed, own = read("what about staging?", before).dates, read("and what about May 2024?", before).dates
    assert borrowed is not None
    assert own is not None
    assert (borrowed.phrase, own.phrase) == ("last week", "May 2024")


def test_complete_sentence_is_read_without_the_previous_message():
    parsed = read("which database does the billing service use?", "How do we deploy?")
    assert not parsed.elliptic
    assert parsed.text == "which database does the billing service use?"


STARTERS = (
    "what",
    "where",
    "when",
    "why",
    "how",
    "who",
    "which",
    "can",
    "should",
    "is",
    "are",
    "do",
    "does",
    "did",
    "will",
    "would",
    "could",
    "has",
    "have",
    "had",
    "was",
    "were",
    "might",
)


@pytest.mark.parametrize("starter", STARTERS)
def test_question_is_recognised_without_a_question_mark(starter):
    assert read(f"{starter} the build pipeline").question
    assert read(f"Hey, {starter.title()} the build pipeline").question


@pytest.mark.parametrize(
    "text", ["Redis is fast.", "see https://x.org/?q=1", "whatever you think of Redis", "Fix it now"]
)
def test_statement_is_not_a_question(text):
    assert not read(text).question


@pytest.mark.parametrize(
    ("text", "recency"),
    [
        ("what broke today", 1.0),
        ("what broke just now", 1.0),
        ("what broke yesterday", 0.8),
        ("recent outages", 0.8),
        ("what broke last week", 0.5),
        ("what broke a few days ago", 0.5),
        ("the outage of last month", 0.3),
        ("a while ago we met Redis", 0.3),
        ("today or last month", 1.0),
        ("the outage", 0.0),
        ("catch me up", 0.8),
    ],
)
def test_recency_of_time_expressions(text, recency):
    assert read(text).recency == recency


@pytest.mark.parametrize("query", ["what did Ana say yesterday", "the latest invoice", "thanks", "and the other one?"])
def test_query_of_recall_has_the_time_of_a_message(query):
    read = signals.read(query, now=NOW)
    assert signals.read_time(query, NOW) == (read.recency, read.dates)


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("what did I decide", ("decision",)),
        ("we decided it", ("decision",)),
        ("decide between them", ("decision",)),
        ("the decision", ("decision",)),
        ("all decisions", ("decision",)),
        ("decimal places", ()),
        ("how do I deploy", ("procedure",)),
        ("what is the port", ("fact",)),
        ("when did we migrate", ("episode",)),
        ("What is the decision from last time, and how do I apply it?", ("decision", "fact", "procedure", "episode")),
    ],
)
def test_hints_follow_the_order_of_memory_types(text, hints):
    assert tuple(hint for hint, _ in read(text).hints) == hints


@pytest.mark.parametrize("kind", ENTITIES, ids=lambda kind: kind.id)
def test_every_entity_rule_matches_its_examples(kind):
    table = RuleTable([kind])
    for example in kind.examples:
        assert table.fired(example.encode()), example
        assert topics.entities(example), example
    for example in kind.counterexamples:
        assert not table.fired(example.encode()), example


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Did Caroline meet Zoë Müller in Łódź?", ("Caroline", "Zoë Müller", "Łódź")),
        ("Please ask O'Brien. The build is red. Redis is up.", ("O'Brien", "Redis")),
        ("Why does Python 3.11 beat PostgreSQL v17.2?", ("Python", "3.11", "PostgreSQL", "v17.2")),
        ("see src/app/main.py and https://x.org/a?b=1.", ("src/app/main.py", "https://x.org/a?b=1")),
        ("PROJ-123, #42 and ann@example.com", ("PROJ-123", "#42", "ann@example.com")),
        ('the "blue green" plan, useState and user_id', ("blue green", "useState", "user_id")),
        ("SQL, API and IT", ("SQL", "API")),
        ("Redis, redis and REDIS", ("Redis",)),
        ("On Monday in May and/or 9/14/2026", ()),
        ("Caroline's painting", ("Caroline",)),
        ("Bank of England", ("Bank of England",)),
    ],
)
def test_entities_of_a_message(text, entities):
    assert read(text).entities == entities


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("SQL or NoSQL for the API?", ("sql", "nosql", "api")),
        ("which db do we use on aws with k8s and c++?", ("db", "aws", "k8s", "c++")),
        ("Caroline's painting, Redis. Then redis again", ("caroline", "painting", "redis")),
        ("what did we do yesterday?", ()),
        ("что мы решили про базу", ("что", "мы", "решили", "про", "базу")),
    ],
)
def test_keywords_of_a_message(text, keywords):
    assert read(text).keywords == keywords


def test_most_frequent_keywords_are_kept_in_text_order():
    words = [f"topic{index}" for index in range(30)]
    keywords = read(" ".join(words) + " topic29 topic28").keywords
    assert keywords == (*words[:8], "topic28", "topic29")


def test_signals_do_not_depend_on_the_hash_seed():
    program = (
        "from datetime import UTC, datetime\n"
        "from cognitive.preflight.signals import read\n"
        "text = 'Should Ann or Bob move PostgreSQL, Redis, Kafka, nginx, Grafana, Loki, Tempo, Vault, Consul and "
        "Nomad today?'\n"
        "print(read(text, now=datetime(2026, 11, 18, tzinfo=UTC)))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "4711")
    }
    assert len(outputs) == 1


def test_huge_message_is_read_at_its_head_and_tail():
    parsed = read("Ask Caroline first. " + "x " * 5_000_000 + "Should we use Redis since May?")
    assert len(parsed.text) < signals.HEAD + signals.TAIL + 8
    assert {"Caroline", "Redis"} <= set(parsed.entities)
    assert parsed.question
    assert parsed.dates is not None


def test_naive_datetime_is_refused():
    with pytest.raises(InvalidInput, match="now"):
        signals.read("hello", now=datetime(2026, 11, 18))  # noqa: DTZ001


WORDS = st.sampled_from(
    ["hey", "Thanks", "yes", ",", "?", "what about", "Redis", "it", "\ud800", "\x00", "’", "👍", "é", "and"]
)


@given(
    text=st.one_of(st.text(), st.lists(WORDS, max_size=10).map(" ".join)),
    previous=st.one_of(st.just(""), st.text()),
)
def test_any_text_gives_consistent_signals(text, previous):
    parsed = read(text, previous)
    assert parsed == read(text, previous)
    assert len(set(parsed.keywords)) == len(parsed.keywords) <= 10
    assert 0.0 <= parsed.recency <= 1.0
    if parsed.greeting:
        assert parsed == Signals(parsed.text, greeting=True, fired=parsed.fired)
    parsed.text.encode()


@given(st.text())
def test_folding_keeps_the_text_length(text):
    assert len(fold(text)) == len(text)


def test_question_with_a_pronoun_is_read_with_the_previous_message():
    parsed = read("Where does she live?", "Is Ada coming on Friday?")
    assert parsed.elliptic
    assert parsed.text == "Is Ada coming on Friday?\nWhere does she live?"
    assert not read("Where does Bo say she lives?", "Is Ada coming on Friday?").elliptic
