"""Rules of formation: each example forms its kind, and no counterexample forms anything by the rule."""

from __future__ import annotations

import re
import signal

import pytest

from cognitive.formation.extract import extract
from cognitive.formation.rules import RULES
from cognitive.formation.rules.guards import GUARDS
from cognitive.formation.rules.matching import FormationRule, GuardRule, compiled
from cognitive.formation.rules.messages import (
    EXERCISE,
    FICTION,
    FOR_OTHERS,
    GIVEN_TEXT,
    LABELLED,
    RETRACTION,
    SentenceRule,
)
from cognitive.formation.statements import FoldedStatement

CONFIRMED = "I've put that on your calendar."


def named(rules, field: str) -> list:
    return [pytest.param(rule, text, id=f"{rule.name}: {text}") for rule in rules for text in getattr(rule, field)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_examples_form_a_memory_of_the_rules_kind(rule: FormationRule):
    for message in rule.examples:
        formed = extract(message, CONFIRMED if rule.confirmed else "").proposals
        assert rule.kind in {each.kind for each in formed}, message


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_counterexamples_form_nothing_by_the_rule(rule: FormationRule):
    for message in rule.counterexamples:
        formed = extract(message, CONFIRMED if rule.confirmed else "").proposals
        assert rule.name not in {each.rule for each in formed}, message


@pytest.mark.parametrize(("guard", "message"), named(GUARDS, "examples"))
def test_guard_stops_its_examples(guard: GuardRule, message: str):
    found = extract(message, "")
    assert (found.proposals, guard.name in found.rejected) == ((), True)


@pytest.mark.parametrize(("guard", "message"), named(GUARDS, "counterexamples"))
def test_guard_lets_its_counterexamples_pass(guard: GuardRule, message: str):
    assert extract(message, "").proposals


SENTENCE_RULES = (EXERCISE, FICTION, FOR_OTHERS, GIVEN_TEXT, LABELLED, RETRACTION)


@pytest.mark.parametrize(("rule", "sentence"), named(SENTENCE_RULES, "examples"))
def test_sentence_rule_matches_its_examples(rule: SentenceRule, sentence: str):
    assert rule.matches(sentence)


@pytest.mark.parametrize(("rule", "sentence"), named(SENTENCE_RULES, "counterexamples"))
def test_sentence_rule_passes_its_counterexamples(rule: SentenceRule, sentence: str):
    assert not rule.matches(sentence)


def repeated(rule) -> list[str]:
    """Return 60 repetitions of each alternative of a rule's pattern and of what joins clauses."""
    words = re.findall(r"(?<!\\)[a-z][a-z' ]*[a-z]", rule.pattern)
    joints = (" and ", ", ", " then ", ", and ", ", then ")
    return [each * 60 + "x1." for each in (*joints, *dict.fromkeys(f"{word} " for word in words))]


def beginnings(rule) -> set[str]:
    """Return the beginnings of the examples of a rule, of one word and more."""
    texts = [getattr(FoldedStatement.of(each), getattr(rule, "on", "plain")) for each in rule.examples]
    return {"", "i ", "we "} | {text[: at + 1] for text in texts for at, sign in enumerate(text) if sign == " "}


@pytest.fixture
def not_endless():
    """Fail a test that would take minutes or years; `re` looks for signals while it searches."""

    def stop(*_) -> None:
        raise AssertionError("the pattern takes exponential time")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in (*RULES, *GUARDS, *SENTENCE_RULES)])
@pytest.mark.usefixtures("not_endless")
def test_repeated_words_keep_no_pattern_busy(rule):
    pattern = compiled(rule.pattern)
    find = pattern.match if isinstance(rule, FormationRule) else pattern.search
    for begin in beginnings(rule):
        for text in repeated(rule):
            find(begin + text)


def test_rules_have_names_of_their_own():
    names = [rule.name for rule in (*RULES, *GUARDS)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        ("Love hiking.", ["preference"]),
        ("Moved to Ghent in May.", ["fact"]),
        ("Allergic to peanuts, by the way.", ["fact"]),
        ("Been vegan since 2015.", ["fact"]),
        ("Budget is 3000 all in.", ["fact"]),
        ("husband is vegan", ["fact"]),
        ("Flying to Lima on 4 July.", ["plan"]),
        ("Hired a gardener, Ines, for the weekends.", ["fact"]),
        ("Love it.", []),
        ("Budget is tight.", []),
        ("Husband is asleep.", []),
        ("Booked it for 8.", []),
        ("Been there.", []),
        ("Work as a team.", []),
        ("Working on it.", []),
    ],
)
def test_statement_without_its_subject_is_the_users(message: str, kinds: list[str]):
    assert [each.kind for each in extract(message, "").proposals] == kinds
