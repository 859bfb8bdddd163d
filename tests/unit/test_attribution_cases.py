"""Attribution of ordinary replies: refusals and contradicted values earn nothing; values are equal in any spelling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cognitive.context.refusals import without_refusals
from cognitive.feedback.contradictions import contradicts
from cognitive.feedback.overlap import overlaps
from cognitive.feedback.spelling import parse
from cognitive.policy import Policy

THRESHOLD = Policy().attribution_threshold
# 82 messages with short memories and a reply; the first 60 were written without knowledge of the rules. In over a third
# of them, the reply uses none: it refuses, contradicts a memory, or is about something else.
CASES = json.loads((Path(__file__).parents[1] / "data" / "attribution_cases.json").read_text(encoding="utf-8"))

OTHERS = [
    "The landlord repaints the kitchen before summer.",
    "Lena plays the cello in an amateur orchestra.",
    "Invoices are archived for ten years because of tax law.",
    "The bike is in the shed behind the house.",
]


def used(memory: str, response: str, message: str = "") -> bool:
    return overlaps([memory, *OTHERS], response, said=message)[0] >= THRESHOLD


def verdicts() -> list[tuple[set[int], set[int]]]:
    credited = [overlaps(case["memories"], case["response"], said=case["message"]) for case in CASES]
    return [
        ({n for n, overlap in enumerate(each) if overlap >= THRESHOLD}, set(case["used"]))
        for each, case in zip(credited, CASES, strict=True)
    ]


def test_credit_for_ordinary_replies_is_nearly_always_right():
    found = verdicts()
    right = sum(len(credited & belongs) for credited, belongs in found)
    assert right / sum(len(credited) for credited, _ in found) >= 0.95
    assert right / sum(len(belongs) for _, belongs in found) >= 0.65
    assert sum(credited == belongs for credited, belongs in found) / len(found) >= 0.75


def test_replies_that_use_no_memory_give_no_credit():
    unused = [credited for credited, belongs in verdicts() if not belongs]
    assert len(unused) > 20
    assert unused == [set()] * len(unused)


BACKUPS = "Backups of the billing database are kept for 30 days in Frankfurt."


@pytest.mark.parametrize(
    "refusal",
    [
        "I can't tell you for how many days backups of the billing database are kept in Frankfurt.",
        "Sorry, I don't know how long backups of the billing database are kept.",
        "I'm not allowed to share where backups of the billing database are kept.",
        "I have no information about backups of the billing database in Frankfurt.",
        "I'd rather not say how long the billing database backups are kept.",
        "I don't share where billing database backups are kept.",
        "How long the billing database backups are kept isn't something I can discuss.",
    ],
)
def test_refusal_that_repeats_the_topic_gives_no_credit(refusal):
    assert not used(BACKUPS, refusal)


@pytest.mark.parametrize(
    "statement",
    [
        "I can't delete them: backups of the billing database are kept for 30 days in Frankfurt.",
        "I can't do that, because backups of the billing database are kept for 30 days in Frankfurt.",
        "I don't know the size, but backups of the billing database are kept for 30 days in Frankfurt.",
    ],
)
def test_statement_beside_a_refusal_gives_credit(statement):
    assert used(BACKUPS, statement)


def test_sentence_without_refusal_is_unchanged():
    assert without_refusals([BACKUPS]) == [BACKUPS]
    assert without_refusals(["I can't share that; the door code is 4471."]) == ["the door code is 4471."]
    assert without_refusals([]) == []


@pytest.mark.parametrize(
    ("response", "rest"),
    [
        (["Are they kept in Frankfurt?", "I can't confirm that."], ["", ""]),
        (["Are they kept in Frankfurt?", "I can't confirm that, but Rome is out."], ["Are they kept in Frankfurt?"]),
        (["Are they kept in Frankfurt?", "Yes."], ["Are they kept in Frankfurt?", "Yes."]),
    ],
)
def test_question_before_a_bare_refusal_is_removed(response, rest):
    assert without_refusals(response)[: len(rest)] == rest


@pytest.mark.parametrize(
    "answer",
    [
        "No, ",
        "No: ",
        "No - ",
        "You can't: ",
        "You can't do that, because ",
        "We can't do that since ",
        "That isn't possible, ",
        "I'm afraid not: ",
        "I wouldn't: ",
    ],
)
@pytest.mark.parametrize(
    "memory",
    [
        "the release freeze starts on 18 December and ends on 4 January.",
        "deploys to production need Karim's approval.",
        "guests can't bring dogs into the spa.",
        "the wifi password can't be shared with guests.",
        "the museum is closed on Mondays.",
    ],
)
def test_memory_after_an_answer_of_no_gives_credit(answer, memory):
    assert used(memory.capitalize() if "K" not in memory else memory, f"{answer}{memory}")


@pytest.mark.parametrize(
    ("memory", "response"),
    [
        ("The release freeze ends on 4 January.", "There are no releases before the freeze ends on 4 January."),
        ("The museum is closed on Mondays.", "The museum isn't open on Mondays."),
        ("Deploys to production need Karim's approval.", "No deploys to production before Karim's approval."),
        ("Dana is allergic to shellfish.", "Don't give Dana shellfish, she's allergic."),
    ],
)
def test_negation_that_agrees_with_a_prohibition_gives_credit(memory, response):
    assert used(memory, response)


@pytest.mark.parametrize(
    ("memory", "response"),
    [
        pytest.param(BACKUPS, "Backups of the billing database are kept for 90 days in Frankfurt.", id="number"),
        pytest.param(BACKUPS, "Backups of the billing database are kept for 30 days in Dublin.", id="name"),
        pytest.param(BACKUPS, "Backups of the billing database are not kept in Frankfurt any more.", id="denial"),
        pytest.param("The team meets on Tuesday in room 4.", "The team meets in room 4 on Thursday.", id="weekday"),
        pytest.param("The lease ends on 12 May 2027.", "The lease ends on 12 June 2027.", id="month"),
        pytest.param("Ines is allergic to walnuts.", "Ines is not allergic to walnuts.", id="negation"),
        pytest.param("The ferry doesn't run on Sundays.", "Yes, the ferry does run on Sundays.", id="assertion"),
        pytest.param("The shop's side door is open at night.", "The side door is closed at night.", id="opposite"),
        pytest.param("The cook hates raw garlic.", "The cook loves raw garlic.", id="opposite verb"),
        pytest.param("We stay with Stripe for now: it is cheap.", "We move from Stripe to Adyen.", id="leaving"),
        pytest.param("Dana is allergic to shellfish.", "Dana is allergic to peanuts.", id="last word"),
        pytest.param("Deploys need Karim's approval.", "Deploys need no approval.", id="negated noun"),
        pytest.param("Never push to trunk, always open a PR.", "Just push to trunk.", id="one clause"),
        pytest.param("The contract forbids subletting.", "The contract doesn't forbid subletting.", id="prohibition"),
    ],
)
def test_contradicted_value_gives_no_credit(memory, response):
    assert not used(memory, response)
    assert used(memory, memory)


def test_old_value_beside_the_new_one_is_no_contradiction():
    both = "Backups of the billing database are kept for 90 days in Frankfurt. It was 30 days before."
    assert used(BACKUPS, both)


def test_passage_about_another_matter_contradicts_nothing():
    passage = parse("Restores take 90 days.")
    assert not contradicts(parse(BACKUPS), passage, passage.stems)


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        ("six thousand euros", "6,000 euros"),
        ("six thousand euros", "6k euros"),
        ("two hundred and fifty guests", "250 guests"),
        ("two and a half thousand", "2.5k"),
        ("one hundred", "100"),
        ("twenty-one seats", "21 seats"),
        ("two dozen eggs", "24 eggs"),
        ("two weeks", "14 days"),
        ("three million", "3,000,000"),
        ("seventy-five per cent", "75 %"),
        ("at half past three", "at 15:30"),
        ("at 3:30 pm", "at 15:30"),
        ("at quarter to eight", "at 7:45"),
        ("at seven o'clock", "at 19:00"),
    ],
)
def test_number_in_words_equals_the_number_in_figures(words, figures):
    assert parse(words).stems == parse(figures).stems


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("nineteen eighty-four", ("19", "84")),
        ("two three", ("2", "3")),
        ("every second day", ()),
        ("Python 3.11.4", ("3.11.4",)),
        ("one of us", ()),
        ("at 10:30 and 22:31", ("10h30", "10h31")),
    ],
)
def test_words_beside_numbers_are_not_joined(text, figures):
    assert parse(text).figures == figures


def test_answer_in_words_of_the_memory_alone_gives_credit():
    memory = "My brother is allergic to shellfish."
    assert used(memory, "Shellfish.", "What is my brother allergic to?")
    assert not used(memory, "Shellfish soup with saffron.", "What shall we cook?")


def test_bare_value_that_answers_the_message_gives_credit():
    memory = "The annual membership of the climbing hall costs 103 euros."
    assert used(memory, "103 euros.", "What does the annual membership of the climbing hall cost?")
    assert not used(memory, "98 euros.", "What does the annual membership of the climbing hall cost?")
    assert not used(memory, "Let me look that up.", "What does the annual membership of the climbing hall cost?")


@pytest.mark.parametrize(
    ("memory", "response"),
    [
        ("Secrets of the shop are stored in Vault.", "Secrets of the shop are not stored in git; they are in Vault."),
        ("The signing key is stored in Vault.", "It's not in git; it's stored in Vault."),
        ("The bakery opens at 9:00.", "The bakery opens at 9."),
        ("Choir practice starts at 7 pm.", "Choir practice starts at seven."),
        ("The desk is open from 9 to 5.", "The desk is open from 9:00 to 17:00."),
    ],
)
def test_value_in_another_spelling_or_beside_a_denied_one_gives_credit(memory, response):
    assert used(memory, response)


@pytest.mark.parametrize(
    ("memory", "response"),
    [
        ("Secrets of the shop are stored in Vault.", "Secrets of the shop are not stored in Vault."),
        ("Secrets are stored in Vault, not in git.", "Secrets are stored in git, not in Vault."),
        ("The bakery opens at 9:30.", "The bakery opens at 9."),
    ],
)
def test_value_that_is_denied_or_another_gives_no_credit(memory, response):
    assert not used(memory, response)
