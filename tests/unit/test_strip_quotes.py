"""Own words of the model exclude memory blocks, tool output and echoes, and include recalled memories."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import candidate, uid

from brain.judgements import ExposureRow
from cognitive import Outcome, Policy, ToolCall
from cognitive.context import render
from cognitive.feedback.attribute import MAX_JUDGED_END, MAX_JUDGED_RESULTS, judge_all
from cognitive.feedback.strip_quotes import MIN_QUOTED, own_words, texts

BACKUPS = "Backups of the billing database are kept for 30 days in Frankfurt."
WALNUTS = "Ines is allergic to walnuts and carries an adrenaline pen."
FILE = f"# Operations\n\nRead this first.\n\n{BACKUPS}\nThe pager rotates on Mondays.\n"
CANDIDATES = [candidate(1, BACKUPS), candidate(2, WALNUTS, speaker="Ines", source="notes/allergies.md")]
BLOCK = render.block(CANDIDATES, Policy())


def line(candidate) -> str:
    return render.line(candidate.hit, Policy())


def shown(n: int, content: str, via: str = "prompt") -> ExposureRow:
    return ExposureRow(uid(n), "fact", via, n, 1.0, None, None, None, content, None, None)


def used(memories, response: str, *results, message: str = "") -> set[int]:
    calls = tuple(ToolCall(name="tool", result=result) for result in results)
    judgements = judge_all(memories, (), message, Outcome(response=response, tool_calls=calls), Policy()).shown
    return {judgement.memory_id.int for judgement in judgements if judgement.used}


PROMPTED = [shown(1, BACKUPS), shown(2, WALNUTS)]


@pytest.mark.parametrize(
    "echo",
    [
        pytest.param(BLOCK, id="block"),
        pytest.param(f"```xml\n{BLOCK}\n```", id="fenced"),
        pytest.param(BLOCK.replace("memory-records", "pinned-memory-records"), id="pinned"),
        pytest.param("\n".join(map(line, CANDIDATES)), id="lines"),
        pytest.param("```\n" + "\n".join(f"  {line(each)}" for each in CANDIDATES) + "\n```", id="fenced lines"),
        pytest.param("> " + line(CANDIDATES[0]), id="quoted line"),
        pytest.param(line(candidate(1, BACKUPS, partial=True)), id="excerpt"),
    ],
)
def test_repeated_memory_block_earns_no_credit(echo):
    assert used(PROMPTED, f"Here is what I was given:\n{echo}\nAnything else?") == set()
    assert used(PROMPTED, f"Here is what I was given:\n{echo}\n{BACKUPS}") == {1}  # its own text counts


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(BACKUPS, id="alone"),
        pytest.param(f'The file says: "{BACKUPS}" Shall I change it?', id="within a sentence"),
        pytest.param(f"```\n{FILE}```", id="fence"),
        pytest.param("> Backups of the   BILLING database\n> are kept for 30 days in Frankfurt.", id="rewrapped"),
        pytest.param("**Backups of the billing database** are kept for `30 days` in Frankfurt", id="marked up"),
    ],
)
@pytest.mark.parametrize(
    "result",
    [
        pytest.param(FILE, id="text"),
        pytest.param({"path": "OPS.md", "content": FILE}, id="mapping"),
        pytest.param([{"type": "text", "text": FILE}, {"type": "image", "data": b"\x00"}, None, 3], id="parts"),
        pytest.param(json.dumps({"stdout": FILE, "code": 0}), id="json"),
    ],
)
def test_quotation_of_a_tool_result_earns_no_credit(response, result):
    assert used(PROMPTED, response) == {1}
    assert used(PROMPTED, response, result) == set()


def test_paraphrase_of_a_tool_result_earns_credit():
    assert used(PROMPTED, "We keep billing backups 30 days, in Frankfurt, of the whole database.", FILE) == {1}


def test_unrelated_tool_result_does_not_remove_credit():
    assert used(PROMPTED, f"{BACKUPS} {WALNUTS}", "Exit code 0", {"rows": ["The pager rotates on Mondays."]}) == {1, 2}


@pytest.mark.parametrize("result", [WALNUTS, {"memories": [{"content": WALNUTS}]}, json.dumps([WALNUTS])])
def test_recalled_memory_earns_credit_despite_the_recall_result(result):
    assert used([shown(1, BACKUPS), shown(2, WALNUTS, "recall")], f"Careful: {WALNUTS}", result) == {2}
    assert used([shown(1, BACKUPS), shown(2, WALNUTS, "prompt")], f"Careful: {WALNUTS}", result) == set()


def test_echo_of_the_user_message_earns_no_credit():
    message = f"I read this somewhere: {BACKUPS} Is that true?"
    assert used(PROMPTED, f"You asked: {message} I cannot tell.", message=message) == set()
    assert used(PROMPTED, "Yes: billing backups stay in Frankfurt for 30 days.", message=message) == {1}


def test_quotation_is_recognised_in_a_script_without_spaces():
    memory = "我们决定使用北京的数据中心保存备份。"
    assert used([shown(1, memory)], f"好的。{memory}") == {1}
    assert used([shown(1, memory)], f"好的。{memory}", f"文件：{memory}完") == set()


def test_few_shared_words_are_not_a_quotation():
    few = " ".join(f"word{n}" for n in range(MIN_QUOTED - 1))
    assert own_words(f"{few} indeed", quoted=[f"so {few}."]) == f"{few} indeed"
    assert "word0" not in own_words(f"word {few} indeed", quoted=[f"a word {few}."])


def test_unclosed_tag_removes_nothing():
    response = f"<memory-records> is how it starts. {BACKUPS} </pinned-memory-records>"
    assert own_words(response, quoted=[]) == response
    assert own_words("<memory-records>" * 3 + "x</memory-records>y", quoted=[]).split() == ["<memory-records>" * 2, "y"]


def test_texts_are_found_at_any_depth_and_in_broken_json():
    deep: list = ["bottom"]
    for _ in range(5_000):
        deep = [deep]
    assert texts(deep) == ["bottom"]
    assert sorted(texts({"a": ["x", {"b": "y"}], "c": 1, "d": '["z"]'})) == ["x", "y", "z"]
    assert texts("[1, 2") == ["[1, 2"]
    assert texts("[" * 200_000) == ["[" * 200_000]
    assert texts(None) == []


@pytest.mark.parametrize(
    "response",
    [
        "<memory-records>" * 100_000,
        "<memory-records><" * 100_000,
        '- 2026-01-01 "' + '\\"' * 500_000,
        '- 2026-01-01 "' * 100_000,
        " " * 1_000_000 + "- 2026",
        "word " * 300_000,
    ],
    ids=["open tags", "open brackets", "escapes", "open quotes", "spaces", "one word"],
)
def test_adversarial_response_is_processed_quickly(response):
    assert own_words(response, quoted=["a b c d e f g h"]) == response


PIECES = st.sampled_from(
    [
        BACKUPS,
        WALNUTS,
        FILE,
        "<memory-records>",
        "</memory-records>",
        line(CANDIDATES[0]),
        "\n",
        '"',
        "我们决定使用",
        "- 2026-01-01 ",
        "👍🏽",
        "e\u0301\u0301",
        "\u0301",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=6).map("".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
@settings(max_examples=150)
def test_own_words_adds_nothing_and_keeps_recalled_text(response, quoted):
    remaining = own_words(response, quoted=quoted)
    assert len(remaining) <= len(response) + 1 + remaining.count("\n")
    assert own_words(response, quoted=[response, *quoted], recalled=[response]) == own_words(response, quoted=[])
    if not quoted:
        assert own_words(response, quoted=[""]) == remaining


# --- very long texts ---

FILLER = "Bread rises faster in a humid room.\n"
END = FILLER * (MAX_JUDGED_END // len(FILLER) + 1)


def test_only_both_ends_of_a_very_long_response_are_judged():
    assert used(PROMPTED, f"{BACKUPS}\n{END * 2}") == {1}
    assert used(PROMPTED, f"{END * 2}{BACKUPS}") == {1}
    assert used(PROMPTED, f"{END}{BACKUPS}\n{END}") == set()


def test_response_within_the_limit_is_judged_completely():
    half = END[: MAX_JUDGED_END - len(BACKUPS)]
    assert used(PROMPTED, f"{half}\n{BACKUPS}\n{half}") == {1}


def test_both_ends_of_a_very_long_result_and_message_count_as_quoted():
    assert used(PROMPTED, BACKUPS, f"{END * 2}{BACKUPS}") == set()
    assert used(PROMPTED, BACKUPS, message=f"{BACKUPS}\n{END * 2}") == set()
    assert used(PROMPTED, BACKUPS, f"{END}{BACKUPS}\n{END}") == {1}
    assert used(PROMPTED, BACKUPS, message=f"{END}{BACKUPS}\n{END}") == {1}


def test_latest_results_are_read_up_to_their_total_limit():
    results = [END] * (MAX_JUDGED_RESULTS // len(END))
    assert used(PROMPTED, BACKUPS, BACKUPS, *results) == set()
    assert used(PROMPTED, BACKUPS, BACKUPS, *results, END) == {1}
    assert used(PROMPTED, BACKUPS, *results, END, BACKUPS) == set()
