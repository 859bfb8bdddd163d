"""Categories: rules match their examples only, and settings of an operator apply or are refused by name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.errors import CognitiveError, InvalidInput, PolicyError
from cognitive.plan import CATEGORIES, THINKING
from cognitive.policy import Policy
from cognitive.preflight import classification, message_shape, signals
from cognitive.preflight.category_table import category_table
from cognitive.preflight.classification import Classification
from cognitive.preflight.follow_ups import Earlier
from cognitive.preflight.rules.categories import CATEGORY_DEFINITIONS
from cognitive.preflight.rules.category_rules import RULES
from cognitive.preflight.rules.matching import RuleTable, fold

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
POLICY = Policy()


def classified(text: str, *previous: str, policy: Policy = POLICY, attachments=()) -> Classification:
    """Classify a message by the real rules; `previous` are the user's earlier messages, latest first."""
    read = signals.read(text, now=NOW, earlier=lambda: Earlier(previous[0] if previous else ""))
    return classification.classify_turn(text, read, previous, attachments, policy)


def kinds(text: str, *previous: str, **how) -> set[str]:
    return set(classified(text, *previous, **how).categories)


# --- the table ---


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_fires_on_its_examples_and_not_on_its_counterexamples(rule):
    alone = RuleTable([rule])
    assert rule.examples
    assert rule.counterexamples
    for example in rule.examples:
        assert alone.fired(fold(example).lower()), example
    for example in rule.counterexamples:
        assert not alone.fired(fold(example).lower()), example


@pytest.mark.parametrize("definition", CATEGORY_DEFINITIONS, ids=lambda definition: definition.name)
def test_category_matches_its_examples_and_not_its_counterexamples(definition):
    assert definition.examples
    assert definition.counterexamples
    for example in definition.examples:
        assert definition.name in kinds(example), example
    for example in definition.counterexamples:
        assert definition.name not in kinds(example), example


def test_rule_table_is_complete_and_consistent():
    assert tuple(definition.name for definition in CATEGORY_DEFINITIONS) == CATEGORIES
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert {rule.signal for rule in RULES} <= set(CATEGORIES)
    assert {definition.thinking for definition in CATEGORY_DEFINITIONS} <= set(THINKING)


@pytest.mark.parametrize(
    ("name", "tools", "caps", "thinking"),
    [
        ("casual", "message", (0, 0), "off"),
        ("research", "exec web_fetch web_search message read", (10, 400), "low"),
        ("coding", "exec read write edit apply_patch process message", (5, 200), "medium"),
        ("crypto", "exec message web_fetch web_search", (8, 300), "medium"),
        ("media", "exec message", (3, 150), "off"),
        ("monitoring", "exec message", (3, 150), "off"),
        ("memory", "memory_search memory_get message", (25, 1000), "low"),
        ("complex", "", (15, 500), "high"),
    ],
)
def test_category_requirements_equal_those_of_the_seed(name, tools, caps, thinking):
    definition = next(definition for definition in CATEGORY_DEFINITIONS if definition.name == name)
    assert (" ".join(definition.tools), (definition.caps.memories, definition.caps.tokens), definition.thinking) == (
        tools,
        caps,
        thinking,
    )


# --- messages ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hey", {"casual"}),
        ("thanks!", {"casual"}),
        ("how are you?", {"casual"}),
        ("\U0001f44b", {"casual"}),
        ("\u2764\ufe0f \U0001f44d\U0001f3fd", {"casual"}),
        ("search for Solana DEX fee comparison", {"research", "crypto"}),
        ("what is the weather in Paris?", {"research"}),
        ("fix the bug in src/auth/login.ts", {"coding"}),
        ("fix the build", {"coding"}),
        ("```js\nconsole.log(1)\n```", {"coding"}),
        ("swap 1 SOL for USDC", {"crypto"}),
        ("generate an image of a cat", {"media"}),
        ("transcribe this voice memo", {"media"}),
        ("gpu status", {"monitoring"}),
        ("check vram usage", {"monitoring"}),
        ("what did we decide about Redis?", {"memory"}),
        ("Hey, what did we decide about Redis?", {"memory"}),
        ("hey what did we decide about Redis?", {"memory"}),
    ],
)
def test_message_gets_its_categories(text, expected):
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("123", "casual"),
        ("1 2 3", "casual"),
        ("#1", "casual"),
        ("fix the build", "casual"),
        ("Redis", "casual"),
        ("ram", "monitoring"),
        ("top", "monitoring"),
        ("base", "crypto"),
        ("next", "complex"),
        ("also", "complex"),
        ("send it", "media"),
        ("Ray called", "media"),
        ("pull the docker image", "media"),
        ("rotate the API token and swap it", "crypto"),
        ("memory usage of the server", "memory"),
        ("run the tests before you deploy", "memory"),
    ],
)
def test_single_ambiguous_word_does_not_match_a_category(text, never):
    assert never not in kinds(text)


@pytest.mark.parametrize("count", range(1, 6))
def test_greeting_before_a_request_is_not_casual(count):
    greeting = "Hey! " * count
    assert kinds(greeting) == {"casual"}
    assert "casual" not in kinds(greeting + "deploy the app to staging")


@pytest.mark.parametrize(
    ("attachment", "medium"),
    [
        ({"type": "image"}, True),
        ({"type": "image_url", "image_url": {"url": "https://x.org/1"}}, True),
        ({"type": "input_image", "image_url": "data:image/png;base64,AA=="}, True),
        ({"image": {"format": "png", "source": {"bytes": b""}}}, True),
        ({"mime_type": "audio/ogg"}, True),
        ({"contentType": "video/mp4", "name": "clip"}, True),
        ({"filename": "photo.JPG"}, True),
        ("data:image/png;base64,AAAA", True),
        ("https://x.org/song.mp3?dl=1", True),
        ({"filename": "report.pdf", "type": "document"}, False),
        ({"mime_type": "text/plain"}, False),
        (None, False),
        (7, False),
    ],
)
def test_image_audio_or_video_attachment_is_media(attachment, medium):
    assert ("media" in kinds("hey", attachments=(attachment,))) is medium
    assert ("media" in kinds("", attachments=(attachment,))) is medium


@pytest.mark.parametrize("text", ["What is wrong here?", "Please replace it like the last time.", "This is my lamp."])
def test_attachment_adds_to_the_categories_of_the_text(text):
    bare, attached = classified(text), classified(text, attachments=({"type": "image"},))
    assert set(attached.categories) == ({*bare.categories, "media"} if bare.categories else set())
    assert {*bare.categories, *bare.possible} <= {*attached.categories, *attached.possible}


class Unreadable:
    """An attachment whose media type raises, as that of Pydantic AI's `ImageUrl` for an address without an ending."""

    kind = "image-url"

    @property
    def media_type(self) -> str:
        raise ValueError


def test_attachment_whose_media_type_raises_is_recognised_otherwise():
    assert kinds("", attachments=(Unreadable(),)) == {"media"}


def test_image_without_text_is_not_casual():
    assert "casual" not in kinds("", attachments=({"type": "image"},))
    assert kinds("hey", attachments=({"type": "image"},)) == {"media"}
    assert kinds("\U0001f44d", attachments=({"type": "image"},)) == {"media"}


STEPS = "First collect the numbers. Then compare them with the plan. After that, write it down step by step."


def test_message_below_the_length_threshold_needs_more_to_be_complex():
    assert len(STEPS) < 300
    long = f"{STEPS} {'The archive is in the cellar, and the key hangs at the door. ' * 4}"
    assert "complex" in kinds(long)
    listed = "1. plan the trip\n2. book it\n3. analyze the cost"
    assert "complex" not in kinds(listed)
    assert "complex" in kinds(listed, policy=Policy(categories={"complex_threshold": 10}))


@pytest.mark.parametrize(
    "text",
    [
        "Was haben wir über Redis entschieden?",
        "我们决定用什么数据库?",
        "что мы решили?",
        "昨日は何を話しましたか?",
        "Lies https://example.org und speichere es in einer Datei",
        "¿qué decidimos sobre la base de datos?",
    ],
)
def test_unsupported_language_is_left_unclassified(text):
    assert classified(text) == Classification(reasons=("category.unread",))


# --- the session ---


@pytest.mark.parametrize(
    ("text", "previous", "expected"),
    [
        ("and for staging?", ["deploy the app to production"], {"coding"}),
        ("yes", ["swap 1 SOL for USDC"], {"crypto"}),
        ("\U0001f44d", ["draw a picture of a fox"], {"media"}),
        ("continue", ["ok", "gpu status"], {"monitoring"}),
        ("and its memory usage?", ["check the gpu status"], {"monitoring"}),
        ("thanks!", ["deploy the app to production"], {"casual"}),
        ("draw a cat", ["deploy the app to production"], {"media"}),
        ("yes", ["book a table for two"], set()),
        ("yes", [], set()),
        ("deploy it", [], set()),
    ],
)
def test_elliptic_message_inherits_the_category_of_the_last_message(text, previous, expected):
    result = classified(text, *previous)
    assert set(result.categories) == expected


def test_inheritance_gives_a_reason_and_can_be_disabled():
    previous = "deploy the app to production"
    assert "session.coding" in classified("and for staging?", previous).reasons
    assert "session.unknown" in classified("yes", "book a table for two").reasons
    assert kinds("yes", previous, policy=Policy(categories={"session_awareness": False})) == set()


# --- categories that a message may mean ---


def possible(text: str, *previous: str, **how) -> set[str]:
    return set(classified(text, *previous, **how).possible)


def test_one_clear_rule_makes_a_further_category_possible():
    assert kinds("the profile picture is stretched on the about page") == {"media"}
    assert "coding" in possible("the profile picture is stretched on the about page")
    assert "coding" not in possible("make me a picture of a fox"), "a common verb is no clear rule"
    assert "coding" in possible("what's left? finish it"), "unless no work is known"


def test_answer_to_a_question_may_be_in_memory_but_not_conversely():
    assert "memory" in possible("who is the mayor of Graz?")
    assert "research" not in possible("what did we decide about the retry limit?")


def test_categories_of_the_last_messages_stay_possible():
    assert "coding" in possible("who is the mayor of Graz?", "ok", "thanks", "fix the flaky login test")
    assert "coding" not in possible("who is the mayor of Graz?", *["ok"] * 4, "fix the flaky login test")
    alone = Policy(categories={"session_awareness": False})
    assert "coding" not in possible("who is the mayor of Graz?", "fix the flaky login test", policy=alone)


@pytest.mark.parametrize("text", ["then change it", "ok use that"])
def test_use_of_an_answer_makes_coding_possible(text):
    assert "coding" in possible(text, "what did we decide about the retry limit?")


@pytest.mark.parametrize("text", ["thanks!", "the flange is loose again", "yes"])
def test_small_talk_and_unknown_messages_have_no_possible_categories(text):
    assert possible(text) == set()


# --- settings of an operator ---


def test_extra_patterns_become_rules_of_their_category():
    assert "coding" not in kinds("polish the flux capacitor")
    policy = Policy(categories={"rules": {"coding": {"extra_patterns": [r"\bflux\b", "capacitor"]}}})
    result = classified("polish the Flux capacitor", policy=policy)
    assert result.categories == ("coding",)
    assert {"coding.extra_1", "coding.extra_2"} <= set(result.reasons)


def test_single_extra_pattern_suffices_without_an_explicit_weight():
    changes = {"extra_patterns": ["capacitor"]}
    assert kinds("polish the capacitor", policy=Policy(categories={"rules": {"coding": changes}})) == {"coding"}
    assert not kinds("polish the capacitor", policy=Policy(categories={"rules": {"coding": changes | {"weight": 1}}}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("restart the service we talked about earlier", {"memory", "coding", "monitoring"}),
        ("there's a memory leak in the worker, find it", {"research", "coding", "monitoring"}),
        ("what did we decide about the database?", {"memory"}),
        ("find me a dentist", {"research"}),
    ],
)
def test_location_words_do_not_exclude_the_categories_of_the_task(text, expected):
    assert kinds(text) == expected


@pytest.mark.parametrize("text", ["where do I live?", "what was I working on?", "who won the match last night?"])
def test_greeting_removes_no_category(text):
    for greeting in ("Good morning, ", "hey ", "lol ", "Thanks! "):
        assert kinds(greeting + text) >= kinds(text)


@pytest.mark.parametrize(("text", "crypto"), [("$SOL price", True), ("buy $PEPE", True), ("$PATH is empty", False)])
def test_ticker_is_crypto_and_an_environment_variable_is_not(text, crypto):
    assert ("crypto" in kinds(text)) == crypto


def test_extra_pattern_can_be_in_any_language():
    policy = Policy(categories={"rules": {"media": {"extra_patterns": ["zeichne|dessiné"]}}})
    assert kinds("Dessiné un renard", policy=policy) == {"media"}


def test_camel_case_names_of_the_seed_are_accepted():
    changes = {"media": {"extraPatterns": ["vinyl"], "extraTools": ["record"], "thinkingLevel": "high"}}
    definition = next(n for n in category_table(Policy(categories={"rules": changes})).definitions if n.name == "media")
    assert definition.tools[-1] == "record"
    assert definition.thinking == "high"


def test_weight_and_threshold_can_be_changed():
    assert "coding" not in kinds("the deployment")
    assert "coding" in kinds("the deployment", policy=Policy(categories={"rules": {"coding": {"threshold": 2}}}))
    assert "coding" in kinds("the deployment", policy=Policy(categories={"rules": {"coding": {"weight": 3}}}))


def test_disabled_category_and_its_tools_are_removed():
    policy = Policy(categories={"rules": {"coding": {"disabled": True}}})
    assert "coding" not in kinds("fix the build in main.py", policy=policy)
    assert category_table(policy).categories_of("apply_patch") == frozenset()


def test_new_category_is_appended_to_the_table():
    policy = Policy(categories={"rules": {"gardening": {"extra_patterns": ["prune"], "extra_tools": ["shears"]}}})
    assert kinds("prune the roses", policy=policy) == {"gardening"}
    assert category_table(policy).definitions[-1].tools == ("shears",)


@pytest.mark.parametrize(
    ("name", "pattern", "message"),
    [
        ("coding", r"(?<=a)b", "linear-time"),
        ("memory", r"(a)\1", "linear-time"),
        ("crypto", r"((a{900}){900}){900}", "linear-time"),
        ("media", "(", "linear-time"),
        ("media", "", "any message"),
        ("media", "a*", "any message"),
        ("mine", "x" * 1001, "longer than"),
    ],
)
def test_invalid_pattern_is_refused_with_category_and_pattern(name, pattern, message, tmp_path):
    with pytest.raises(InvalidInput) as refused:
        Policy(categories={"rules": {name: {"extra_patterns": ["fine", pattern]}}})
    assert repr(name) in str(refused.value)
    assert repr(pattern) in str(refused.value)
    assert message in str(refused.value)
    path = tmp_path / "policy.toml"
    path.write_text(f"[categories.{name}]\nextraPatterns = ['fine', '{pattern}']\n", encoding="utf-8")
    with pytest.raises(PolicyError, match=name):
        Policy.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"codng": {"extra_tools": ["x"]}},
        {"coding": {"extra_pattern": ["x"]}},
        {"coding": {"thinking_level": "huge"}},
        {"coding": {"facts": -1}},
        {"coding": {"threshold": 0}},
        {"coding": {"weight": float("nan")}},
        {"coding": {"extra_tools": [" "]}},
        {"coding": None},
        ["coding"],
    ],
)
def test_invalid_category_settings_are_refused(changes):
    with pytest.raises(CognitiveError):
        Policy(categories={"rules": changes})


@pytest.mark.parametrize("name", ["\ud800", "\x00", "", "  ", "a]|b", "x\ny", "n" * 65])
def test_invalid_category_name_is_refused(name):
    with pytest.raises(InvalidInput, match="not a valid category name"):
        Policy(categories={"rules": {name: {"extra_patterns": ["x"]}}})


def test_error_in_a_row_names_the_row():
    with pytest.raises(InvalidInput, match=r"categories\.rules\.coding: .*weight"):
        Policy(categories={"rules": {"coding": {"weight": -1}}})
    with pytest.raises(InvalidInput, match=r"budgets\.models\.acme/tiny: .*input_tokens"):
        Policy(budgets={"models": {"acme/tiny": {"input_tokens": 0, "output_tokens": 1}}})


def test_policy_file_extends_the_category_table(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(
        '[categories]\ncomplex_threshold = 50\nalways_include = ["message", "notify"]\n'
        '[categories.rules.research]\nmodel = "lab/reader"\nfacts = 4\ntokens = 90\n'
        '[categories.rules.legal]\nextraPatterns = ["clause"]\nextraTools = ["register"]\nthinkingLevel = "xhigh"\n',
        encoding="utf-8",
    )
    policy = Policy.load(path)
    table = category_table(policy)
    assert table.models == {"research": "lab/reader"}
    assert next(definition for definition in table.definitions if definition.name == "research").caps.tokens == 90
    assert kinds("what does the clause say?", policy=policy) == {"research", "legal"}
    assert Policy.from_record(policy.model_dump(mode="json")) == policy


# --- arbitrary input ---

HOSTILE = [
    "a" * 10_000,
    "?" * 10_000,
    "`" * 10_000,
    "\n1. x" * 2_500,
    "a/b.c " * 1_700,
    "\ud800" * 50,
    "\x00",
    "",
    "first " * 2_000,
    "what my " * 1_200,
    "\u200d" * 10_000,
    "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgA" * 200,
    " \n\t ",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_messages_are_classified_deterministically(text):
    assert classified(text) == classified(text)


@given(st.text(max_size=400))
def test_any_text_gets_a_consistent_classification(text):
    result = classified(text)
    names = [definition.name for definition in CATEGORY_DEFINITIONS]
    assert list(result.categories) == sorted(result.categories, key=names.index)
    assert all(result.scores[name] > 0 for name in result.categories)
    assert "casual" not in result.categories or len(result.categories) == 1
    if "casual" in result.categories:
        assert signals.read(text, now=NOW).greeting or message_shape.emoji_only(text)


def test_only_the_start_and_end_of_a_long_message_are_read():
    filler = "lorem ipsum dolor sit amet " * 400
    assert "crypto" in kinds(f"swap 1 SOL for USDC {filler}")
    assert "crypto" in kinds(f"{filler} swap 1 SOL for USDC")
    assert "crypto" not in kinds(f"{filler} swap 1 SOL for USDC {filler}")
    assert "coding" in kinds(f"{filler}\n```\nx = 1\n```\n{filler}")
