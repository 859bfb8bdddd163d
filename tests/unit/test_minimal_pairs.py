"""The real model keeps similar but distinct texts apart and recognises restatements.

The pairs were written for this project. A third of the pairs (`held_out`) and half of the restatements (`test`) were
not used to choose rules and thresholds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import candidate, ids

from cognitive.context import dedup
from cognitive.context.dedup import drop_restated, window_sentences
from cognitive.context.guards import code_differs, first_guard
from cognitive.context.sentences import ParsedSentence
from cognitive.context.similarity import SentenceSet
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS

DATA = Path(__file__).parents[1] / "data"
PAIRS = json.loads((DATA / "minimal_pairs.json").read_text(encoding="utf-8"))
RESTATEMENTS = json.loads((DATA / "restatements.json").read_text(encoding="utf-8"))
DISTINCT, SAME = ([pair for pair in PAIRS if pair["label"] == label] for label in ("distinct", "same"))
POLICY = Policy()


@pytest.fixture(scope="session")
def vectors(embedder):
    """Return a function that embeds a text, each text once."""
    cache = {}

    def vector(text):
        if text not in cache:
            cache[text] = embedder.embed([text])[0]
        return cache[text]

    return vector


@pytest.fixture(scope="session")
def dropped(vectors):
    """Return a function that returns how a memory is dropped in view of one message, or None."""

    def drop(memory, message, *, embedded=True, policy=POLICY):
        stated = window_sentences([message])
        window = dedup.window(stated, {sentence: vectors(sentence) for sentence in stated} if embedded else {})
        own = candidate(1, memory, vector=vectors(memory) if embedded else None)
        return next(iter(drop_restated([own], dedup.window_comparer(window, policy), policy, CONSTANTS).dropped), None)

    return drop


def named(pair):
    return f"{pair['kind']}: {pair['one'][:60]}"


def texts_of(data) -> Iterator[str]:
    """Yield all texts in data that was read from JSON."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from texts_of(each)


def test_data_sets_have_enough_pairs():
    assert len(DISTINCT) >= 80
    assert len(SAME) >= 25
    assert len(RESTATEMENTS) >= 200
    assert len({pair["kind"] for pair in DISTINCT}) >= 15


@pytest.mark.parametrize("pair", DISTINCT, ids=named)
@pytest.mark.parametrize("embedded", [True, False], ids=["by meaning and words", "by words"])
def test_distinct_texts_are_not_dropped_as_restated(dropped, pair, embedded):
    assert dropped(pair["one"], pair["other"], embedded=embedded) is None
    assert dropped(pair["other"], pair["one"], embedded=embedded) is None


@pytest.mark.parametrize("pair", DISTINCT, ids=named)
def test_distinct_candidates_are_both_kept(vectors, pair):
    candidates = [candidate(n, text, vector=vectors(text)) for n, text in enumerate((pair["one"], pair["other"]), 1)]
    nothing = SentenceSet([])
    assert ids(drop_restated(candidates, dedup.window_comparer(nothing, POLICY), POLICY, CONSTANTS).kept) == [1, 2]
    assert ids(drop_restated(candidates[::-1], dedup.window_comparer(nothing, POLICY), POLICY, CONSTANTS).kept) == [
        2,
        1,
    ]


@pytest.mark.parametrize("pair", SAME, ids=named)
def test_equivalent_text_is_dropped_as_restated(dropped, pair):
    assert dropped(pair["one"], pair["other"]) is not None


def test_most_restatements_and_few_neighbours_are_dropped(dropped):
    rows = [row for row in RESTATEMENTS if row["half"] == "test"]
    caught = sum(dropped(row["memory"], row["restated"]) is not None for row in rows)
    false = sum(dropped(row["memory"], row["neighbour"]) is not None for row in rows)
    assert caught >= 0.75 * len(rows), caught / len(rows)
    assert false <= 0.03 * len(rows), false / len(rows)


def test_combined_threshold_catches_more_restatements(dropped):
    rows = [row for row in RESTATEMENTS if row["half"] == "test"]
    without = POLICY.changed({"dedup.agreement_threshold": 1.0})
    caught, without_combined = (
        sum(dropped(row["memory"], row["restated"], policy=policy) is not None for row in rows)
        for policy in (POLICY, without)
    )
    assert caught > without_combined


QUOTED = "The importer reads CSV files. Each row becomes one invoice. Rows without an address are kept for review."


@pytest.mark.parametrize(
    "message",
    [
        f"{'The weather is fine. ' * 50}As we wrote down: {QUOTED} {'Lunch was late. ' * 50}",
        "- The importer reads CSV files.\n- Each row becomes one invoice.\n"
        "- Rows without an address are kept for review.",
        f"Look:\n```\n{QUOTED.replace('. ', '.' + chr(10))}\n```\nDone.",
        "The importer reads\nCSV files. Each row\nbecomes one\ninvoice. Rows without an\naddress are kept\nfor review.",
    ],
    ids=["in a long message", "as bullets", "in a code block", "hard wrapped"],
)
def test_quoted_memory_is_dropped_for_any_line_breaks(dropped, message):
    assert dropped(QUOTED, message) is not None
    assert dropped(QUOTED, message, embedded=False) is not None


@pytest.mark.parametrize("path", sorted(DATA.glob("*.json")), ids=lambda path: path.stem)
def test_no_guard_fires_between_identical_texts(path):
    for text in {*texts_of(json.loads(path.read_text(encoding="utf-8")))}:
        assert first_guard(ParsedSentence.of(text), ParsedSentence.of(text)) is None, text


@pytest.mark.parametrize(
    "text",
    [
        "Anna's in Paris",
        "The harvest supper is at Noor's, from 6 pm.",
        "Run test_invoice.py before each release.",
        "The proxy is proxy.corp.example:3128.",
        "The loader raises java.lang.IllegalStateException at first.",
        "Let's go with the second option",
    ],
)
def test_no_guard_fires_between_a_text_and_itself(text):
    assert first_guard(ParsedSentence.of(text), ParsedSentence.of(text)) is None


def test_things_of_one_owner_are_still_told_apart():
    one, other = ParsedSentence.of("Anna's sister lives in Paris."), ParsedSentence.of("Anna lives in Paris.")
    assert first_guard(other, one) == "possessions"


def test_names_of_a_list_may_not_become_caller_and_called():
    listed, directed = ParsedSentence.of("Marek and Ines call at noon."), ParsedSentence.of("Ines calls Marek at noon.")
    assert first_guard(listed, directed) == "direction"


def test_files_of_one_name_are_still_told_apart():
    one, other = (ParsedSentence.of(f"Run test_invoice.{end} first.") for end in ("py", "sh"))
    assert first_guard(one, other) == "code"


def test_negated_quotation_is_not_a_restatement(dropped):
    memory = "Each row of the file becomes one invoice of the customer."
    assert dropped(memory, "It is not true that each row of the file becomes one invoice of the customer.") is None


def test_different_figures_are_distinct_in_any_language():
    """The rules for figures and swapped words need no lexicon."""
    one, two = "Бэкапы хранятся 30 дней на сервере.", "Бэкапы хранятся 90 дней на сервере."
    assert SentenceSet([ParsedSentence.of(two)]).similarities([ParsedSentence.of(one)])[0].containment == 0.0


@pytest.mark.parametrize("character", ["a", "(", "'"])
def test_code_is_looked_for_in_linear_time(character):  # in quadratic time it would take minutes
    long = ParsedSentence(character * 200_000, ())
    assert not code_differs(long, long)
