"""Attribution: restatements count in short and long replies; unrelated text and the user's own words count little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognitive.feedback.overlap import STRATEGIES, overlaps, passages
from cognitive.policy import Policy

THRESHOLDS = {name: Policy(feedback={"attribution": name}).attribution_threshold for name in STRATEGIES}

MEMORIES = [
    "Backups of the billing database are kept for 30 days in Frankfurt.",
    "Ines is allergic to walnuts and carries an adrenaline pen.",
    "Marek chose Redis for the session cache because entries expire.",
    "To release, tag the commit, wait for the canary and promote it.",
    "Caroline painted a lake at sunrise for her mother's birthday.",
    "The staging cluster is rebuilt every Sunday night at 02:30.",
    "The landlord agreed to repaint the kitchen before summer.",
    "The API gateway refuses uploads larger than 10 MB.",
]
# Sentences that are unrelated to all of the memories.
FILLER = [
    "A glacier moves a few metres every year, slower at its edges.",
    "Bread rises faster in a humid room.",
    "Old maps show the harbour further inland.",
    "The violin has four strings tuned in fifths.",
    "Moss grows where the sun rarely comes.",
    "A tram line once crossed the bridge.",
    "Copper turns green when it stands in the rain.",
    "Bees find their way by the light of the sky.",
    "The theatre seats nine hundred people.",
    "Chess players count tempi and squares.",
    "Salt lowers the freezing point of water.",
    "A comet returns after seventy-five years.",
]


def reply(sentences: int, *, saying: str = "") -> str:
    """Return a reply of unrelated sentences, with one more sentence in the middle."""
    body = [FILLER[n % len(FILLER)] for n in range(sentences)]
    return " ".join([*body[: sentences // 2], *([saying] if saying else []), *body[sentences // 2 :]])


def used(response: str, memories=MEMORIES, *, strategy: str = "relative", user: str = "") -> set[int]:
    measured = overlaps(memories, response, said=user, strategy=strategy)
    return {n for n, overlap in enumerate(measured) if overlap >= THRESHOLDS[strategy]}


@pytest.mark.parametrize("strategy", ["relative", "windowed"])
@pytest.mark.parametrize("sentences", [0, 4, 12, 60], ids=["alone", "short", "medium", "long"])
@pytest.mark.parametrize("which", range(len(MEMORIES)))
def test_verbatim_memory_alone_is_used_in_a_reply_of_any_length(strategy, sentences, which):
    assert used(reply(sentences, saying=MEMORIES[which]), strategy=strategy) == {which}


@pytest.mark.parametrize("which", range(len(MEMORIES)))
def test_jaccard_finds_a_memory_only_in_a_reply_of_similar_length(which):
    assert which in used(MEMORIES[which], strategy="jaccard")
    assert used(reply(60, saying=MEMORIES[which]), strategy="jaccard") == set()  # the known weakness of the rule


@pytest.mark.parametrize(
    ("which", "saying"),
    [
        (0, "We keep the billing backups for 30 days, all of them in Frankfurt."),
        (1, "Careful with that cake: Ines is allergic to walnuts, so bring her adrenaline pen."),
        (2, "Redis runs the session cache since Marek wanted entries to expire."),
        (3, "Tag the commit first, then wait for the canary before you promote it."),
        (4, "For her mother's birthday Caroline painted that lake at sunrise."),
        (5, "It was gone because staging is rebuilt on Sunday night at 02:30."),
        (7, "Uploads larger than 10 MB are refused by the gateway."),
    ],
)
@pytest.mark.parametrize("sentences", [4, 12, 60], ids=["short", "medium", "long"])
def test_reordered_and_inflected_restatement_is_found(which, saying, sentences):
    assert used(reply(sentences, saying=saying)) == {which}


def test_restatement_across_three_sentences_is_found():
    saying = "Marek made the choice. The session cache is Redis now. Its entries expire."
    assert used(reply(20, saying=saying)) == {2}


def test_two_memories_restated_in_one_reply_are_both_used():
    assert used(f"{MEMORIES[0]} Also remember this. {reply(6)} {MEMORIES[3]}") == {0, 3}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sentences", [1, 4, 12, 60])
def test_unrelated_reply_uses_no_memory(strategy, sentences):
    assert used(reply(sentences), strategy=strategy) == set()


@pytest.mark.parametrize("strategy", ["relative", "windowed"])
def test_echo_of_the_users_words_earns_little_credit(strategy):
    question = "What about the billing database and the session cache?"
    assert len(used(f"Sure, let me look into that for you. {reply(4)}", strategy=strategy, user=question)) == 0
    assert len(used(f"You asked: {question}", strategy=strategy, user=question)) <= 2


def test_words_shared_by_all_memories_give_no_credit():
    memories = [
        f"The deployment of service {name} needs approval."
        for name in (
            "alpha",
            "bravo",
            "charlie",
            "delta",
            "echo",
            "foxtrot",
            "golf",
            "hotel",
            "india",
            "juliet",
            "kilo",
            "lima",
        )
    ]
    assert used("The deployment of service bravo needs approval.", memories) == {1}


def test_best_overlap_below_the_threshold_is_not_used():
    assert used("I like the weather.", ["Caroline likes tea."]) == set()


@pytest.mark.parametrize(
    ("memory", "other", "response"),
    [
        pytest.param("The port is 5432.", "Retries are capped at 9999.", "Connect to port 5432.", id="numbers"),
        pytest.param(
            "def area(r): return 3.14159 * r ** 2",
            "SELECT id FROM orders WHERE total > 100",
            "Use this:\n```python\ndef area(r):\n    return 3.14159 * r ** 2\n```\nDone.",
            id="code",
        ),
        pytest.param(
            "我们决定使用北京的数据中心。",
            "下周五团队去杭州旅行。",
            "好的，我们决定使用北京的数据中心。还有别的吗？",
            id="chinese",
        ),
        pytest.param(
            "Мы храним резервные копии тридцать дней.",
            "Кошку зовут Мурка.",
            "Да: резервные копии мы храним тридцать дней.",
            id="russian",
        ),
        pytest.param(
            "Party 🎉 on the roof with 🍕 and lemonade",
            "🐶 needs a walk",
            "The roof party has lemonade 🍕🎉",
            id="emoji",
        ),
        pytest.param(
            "https://wiki.example.org/runbooks/restore is the restore runbook.",
            "The lunch menu is on the fridge.",
            "See https://wiki.example.org/runbooks/restore for the restore runbook.",
            id="links",
        ),
    ],
)
def test_numbers_code_links_and_other_scripts_are_measured(memory, other, response):
    first, second = overlaps([memory, other], response)
    assert first >= THRESHOLDS["relative"] > second


@pytest.mark.parametrize(
    ("restated", "other", "response"),
    [
        pytest.param("Logs are kept for 30 days.", "Traces are kept for 90 days.", "30 days.", id="figures"),
        pytest.param(
            "The build runs on Python 3.11.4.", "The docs need Python 3.12.0.", "Python 3.11.4.", id="versions"
        ),
        pytest.param(
            "Payroll: /srv/payroll/run.sh",
            "Invoices: /srv/billing/export.sh",
            "Start `/srv/payroll/run.sh`.",
            id="paths",
        ),
        pytest.param(
            "parse_header(line) raises HeaderError",
            "encode_body(data) returns bytes",
            "```py\ntry:\n    parse_header(line)\nexcept HeaderError:\n    pass\n```",
            id="identifiers",
        ),
        pytest.param(
            "会議は水曜日の午後三時です。", "歓迎会は金曜日の夜です。", "水曜日の午後三時です。", id="japanese"
        ),
        pytest.param("การประชุมเริ่มเวลาเก้าโมงเช้า", "แมวชอบกินปลา", "การประชุมเริ่มเวลาเก้าโมงเช้าครับ", id="thai"),
        pytest.param("موعد الطبيب يوم الثلاثاء", "سارة تدرس الهندسة", "الموعد يوم الثلاثاء عند الطبيب", id="arabic"),
        pytest.param("회의는 수요일 오후에 있다", "고양이 이름은 나비다", "회의는 수요일 오후에 열려요", id="korean"),
        pytest.param("Ｔｈｅ ｐｏｒｔ ｉｓ ５４３２", "Retries: 9", "Use port 5432.", id="full width"),
    ],
)
def test_similar_memory_that_the_reply_does_not_restate_is_not_used(restated, other, response):
    assert used(response, [restated, other]) == {0}


CASES = json.loads((Path(__file__).parents[1] / "data" / "attribution.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("form", ["terse", "normal", "verbose"])
def test_one_threshold_suits_terse_normal_and_verbose_replies(form):
    verdicts = [
        (n in case["replies"][form]["used"], n in credited)
        for case in CASES
        for credited in [used(case["replies"][form]["text"], case["memories"], user=case["said"])]
        for n in range(len(case["memories"]))
    ]
    true_positives = [result for belongs, result in verdicts if belongs]
    false_positives = [result for belongs, result in verdicts if not belongs]
    assert sum(true_positives) / len(true_positives) >= 0.60
    assert sum(false_positives) / len(false_positives) <= 0.07


PIECES = st.sampled_from(
    [
        *MEMORIES,
        *FILLER,
        "我们决定",
        "👍",
        "```",
        "3.14",
        "the and of",
        "\n",
        "x",
        "\u0301",
        "e\u0301\u0301",
        "\u200d",
        "👩🏽‍💻",
        "\ud800",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=4).map(" ".join)
NOTHING = st.sampled_from(["", " ", "\n\n", "...", "👍"])


@given(st.lists(TEXTS, max_size=8), TEXTS, st.sampled_from(sorted(STRATEGIES)))
@settings(max_examples=80)
def test_each_memory_gets_a_stable_overlap_between_0_and_1(memories, response, strategy):
    measured = overlaps(memories, response, strategy=strategy)
    assert len(measured) == len(memories)
    assert all(0.0 <= overlap <= 1.0 + 1e-12 for overlap in measured)
    assert measured == overlaps(memories, response, strategy=strategy)


@given(st.lists(TEXTS, min_size=1, max_size=8), TEXTS, st.data(), st.sampled_from(sorted(STRATEGIES)))
@settings(max_examples=60)
def test_order_of_memories_does_not_change_overlaps(memories, response, data, strategy):
    order = data.draw(st.permutations(range(len(memories))))
    measured = overlaps(memories, response, strategy=strategy)
    shuffled = overlaps([memories[n] for n in order], response, strategy=strategy)
    assert shuffled == pytest.approx([measured[n] for n in order])


@given(st.lists(TEXTS, max_size=8), st.sampled_from(sorted(STRATEGIES)), NOTHING)
@settings(max_examples=40)
def test_empty_response_uses_no_memory(memories, strategy, response):
    assert overlaps(memories, response, strategy=strategy) == [0.0] * len(memories)


def test_no_memories_give_no_overlaps():
    assert overlaps([], "Anything at all.") == []
    assert overlaps([""], "Anything at all.") == [0.0]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_forty_memories_are_measured_in_ten_thousand_words(strategy):
    memories = [f"Memory {n}: {MEMORIES[n % len(MEMORIES)]}" for n in range(40)]
    response = reply(1_200, saying=memories[7])
    assert len(response.split()) > 9_000
    measured = overlaps(memories, response, strategy=strategy)
    assert len(measured) == 40
    if strategy != "jaccard":
        assert max(measured) == measured[7]


def test_very_long_sentence_is_measured():
    response = f"{'glacier ' * 10_000} backups of the billing database are kept for 30 days in frankfurt"
    assert overlaps(MEMORIES, response)[0] > 0


# --- passages ---


@pytest.mark.parametrize("strategy", ["relative", "windowed"])
@pytest.mark.parametrize("which", range(len(MEMORIES)))
def test_passage_of_a_memory_is_the_sentence_that_restates_it(strategy, which):
    response = reply(12, saying=MEMORIES[which])

    start, end = passages(MEMORIES, response, strategy=strategy)[which]

    assert MEMORIES[which] in response[start:end]
    assert len(response[start:end]) <= len(MEMORIES[which]) + max(map(len, FILLER)) + 1


@pytest.mark.parametrize("strategy", list(STRATEGIES))
@given(
    memories=st.lists(st.text("ab cd. ", max_size=30), max_size=5),
    response=st.text("ab cd.!\n", max_size=80),
)
def test_each_measured_memory_has_a_passage_within_the_response(strategy, memories, response):
    measured = overlaps(memories, response, strategy=strategy)

    for overlap, passage in zip(measured, passages(memories, response, strategy=strategy), strict=True):
        assert overlap == 0 or passage is not None
        if passage is not None:
            assert 0 <= passage[0] < passage[1] <= len(response)


def test_response_without_overlap_has_no_passages():
    assert passages(MEMORIES, "Moss, mostly.") == [None] * len(MEMORIES)
    assert passages(MEMORIES, "") == [None] * len(MEMORIES)
    assert passages([], "Moss.") == []
