"""Statements that a summary keeps: their rules, their choice, and that no negation is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.turn import Message
from cognitive.window.output.importance import squeezed
from cognitive.window.slots.fact_rules import FACT_RULES
from cognitive.window.slots.patterns import without_lookaround
from cognitive.window.slots.rules import RULES
from cognitive.window.slots.statements import MAX_STATEMENT, chosen, split, statement, statements
from cognitive.window.summary import extract
from tests.planted import CONVERSATIONS, exchanges, kept

ALL_RULES = (*RULES, *FACT_RULES)
SMALL_TALK = (
    "I don't think so.",
    "Don't worry, I'll sort it out.",
    "never mind, found it",
    "No idea, ask me later.",
    "We keep running out of milk.",
    "I can't find my keys.",
    "Nobody told me.",
    "Remember me?",
    "They haven't answered the door yet lol",
    "Let me know what you think before you leave.",
    "Let's have a look at the photos.",
    "I don't know what to cook tonight.",
    "That's not bad at all.",
    "It's called a gerund.",
    "What is the gate code?",
    "can you check whether the ferry runs on Sunday?",
)


def summarised(talk, limit=4_000, step=20):
    summary, said = "", [Message(role=role, content=each[role]) for each in talk for role in ("user", "assistant")]
    for start in range(0, len(said), step):
        summary = extract(summary, said[start : start + step], limit)
    return summary


@pytest.mark.parametrize("rule", ALL_RULES, ids=[rule.name for rule in ALL_RULES])
def test_rule_matches_its_examples_and_no_counterexample(rule):
    assert all(rule.search(each) for each in rule.examples)
    assert not any(rule.search(each) for each in rule.counterexamples)
    assert all(statement(each, "user") for each in rule.examples)


@pytest.mark.parametrize("rule", ALL_RULES, ids=[rule.name for rule in ALL_RULES])
def test_pattern_without_lookaround_matches_the_same_examples(rule):
    loose = re.compile(without_lookaround(rule.pattern), re.IGNORECASE)
    assert all(loose.search(each) for each in rule.examples)


@pytest.mark.parametrize("sentence", SMALL_TALK)
def test_small_talk_is_no_statement(sentence):
    assert statement(sentence, "user") is None


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=["first", "second", "third"])
def test_statements_survive_240_exchanges_of_small_talk(conversation):
    assert len(kept(conversation, summarised(exchanges(conversation)))) >= 18


def test_assistant_is_believed_less_than_the_user():
    said = "Never open the kiln before it has cooled down."
    assert statement(said, "user").firmness > statement(said, "assistant").firmness


def test_others_words_in_quotation_marks_are_no_statement():
    assert statement("Please translate 'do not feed the ducks by the pond'", "user") is None


def test_code_and_quoted_lines_are_not_searched():
    assert statements("> Never paint the door.\n```\n# never call this twice\n```\nSee above.", "user") == []


def test_long_sentence_keeps_the_clause_with_its_statement():
    long = ", ".join(["the day was long and the road was dusty"] * 5)
    [kept] = statements(f"{long}, so we agreed that nobody sells the mill, {long}", "user")
    assert len(kept.text) <= MAX_STATEMENT
    assert "we agreed that nobody sells the mill" in kept.text


def test_abbreviation_ends_no_sentence():
    [kept] = statements("From now on the report goes to Dr. Oyelaran and to Ms. Beck.", "user")
    assert kept.text.endswith("Ms. Beck.")


@pytest.mark.parametrize(
    "said",
    [
        "The customer's account number is 77-4410-A.",
        "We're going with option B.",
        "The deadline is 3 May, says team A.",
    ],
)
def test_statement_that_ends_in_a_letter_outlasts_the_question_after_it(said):
    assert statements(f"{said} How far are we?", "user")[0].text == said


def test_initial_in_a_name_ends_no_sentence():
    for name in ("John F. Ortiz", "J. Ortiz"):
        assert split(f"Never sell it to {name}. How far are we?")[0] == f"Never sell it to {name}."


@pytest.mark.parametrize(
    ("earlier", "later", "replaced"),
    [
        ("The budget for the hall is 40,000 euros.", "The budget for the hall is now 50,000 euros.", True),
        ("The tent has to be back by 9 June.", "The tent has to be back by 12 June.", True),
        ("The tent has to be back by 9 June.", "The van has to be back by 12 June.", False),
        ("Room 12 of the hotel has 31 chairs.", "Room 14 of the hotel has 20 chairs.", False),
        ("We paid invoice 12 in cash on the spot.", "We paid invoice 13 in cash on the spot.", False),
        ("Never lend out the blue van.", "Never lend out the red van.", False),
        ("The code for the front door is 4471.", "The code for the back door is 9920.", False),
        ("We agreed to pay Anna 500 euros.", "We agreed to pay Ben 700 euros.", False),
        ("Our Rome report is due by 3 May.", "Our Oslo report is due by 9 June.", False),
        ("From now on the workshop is on 3 May.", "From now on the workshop is not on 3 May.", False),
    ],
)
def test_newer_value_of_the_same_thing_replaces_the_older(earlier, later, replaced):
    summary = summarised([{"user": earlier, "assistant": "ok"}, {"user": later, "assistant": "ok"}], limit=600)
    walks = [Message(role="user", content=f"Please describe the walk along river {chr(97 + n)}.") for n in range(20)]
    long = extract(summary, walks, 600)
    assert (earlier not in long, later in long) == (replaced, True)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("- never deploy on Fridays", "prohibition"),
        ("**Never** deploy on Fridays.", "prohibition"),
        ("• no visitors before ten", "prohibition"),
        ("Only Zoë may open the safe.", "prohibition"),
        ("Only Søren may open the safe.", "prohibition"),
        ("Any change to the schema must be approved by Ann.", "decision"),
        ("Any visitor must sign in at the front desk before ten.", "decision"),
        ("You mustn't share this list with anyone, could you also check the mail?", "prohibition"),
        ("We won't renew the gym membership, it's too expensive.", "decision"),
    ],
)
def test_statement_is_kept_whatever_its_form(said, kind):
    [kept] = statements(f"Good morning!\n{said}", "user")
    assert kept.kind == kind
    assert said.endswith(kept.text)


def test_any_news_is_a_question_and_no_rule():
    assert not [each for each in statements("Any news on the boiler we agreed on", "user") if each.kind != "question"]


def test_text_after_a_quoted_line_is_read():
    [kept] = statements("> Did you paint it?\n\nNever paint the garage door.", "user")
    assert kept.text == "Never paint the garage door."


def test_head_and_tail_of_a_long_message_are_read():
    rule, filler = "Never paint the garage door.", "The walk along the river was long and quiet.\n" * 2_000
    for text in (f"{rule}\n{filler}", f"{filler}{rule}"):
        assert [each.text for each in statements(text, "user")] == [rule]


def test_repeated_statement_of_a_message_takes_one_place():
    rules = ["Never paint the garage door.", "Never sell the oak table.", "Never lend out the blue van."]
    text = "\n".join([rules[0]] * 5 + rules[1:])
    assert [each.text for each in statements(text, "user")] == rules


def test_abbreviations_without_end_are_one_sentence():
    text = "e.g. " * 16_000  # took minutes when each one was looked for in all before it
    assert split(text) == [text.strip()]


def test_clause_with_a_negation_outlasts_nearer_clauses():
    near, far = ", ".join(["the road was dusty and the day was long"] * 5), "but not the barn"
    [kept] = statements(f"We agreed that Ann sells the mill, {near}, {far}", "user")
    assert far in kept.text
    assert len(kept.text) <= MAX_STATEMENT


def test_negated_clauses_without_room_go_to_the_excerpt():
    rest = ", ".join(
        f"the {name} house is not for sale to anybody in the village" for name in "red blue old new".split()
    )
    summary = extract("", [Message(role="user", content=f"We agreed that nobody sells the mill, {rest}.")], 4_000)
    assert all(f"{name} house is not" in summary or f"{name} house not" in summary for name in ("red", "blue"))
    assert summary.count("\n") == 1


@pytest.mark.parametrize(
    "negation", ["cant", "wont", "doesnt", "didnt", "isnt", "arent", "shouldnt", "mustnt", "couldnt"]
)
def test_negation_without_apostrophe_is_not_squeezed_out(negation):
    said = f"For the coming release of the shop the old gateway {negation} accept any orders from the warehouse app"
    short = squeezed(said, 40)
    assert not short or negation in short


def test_repeated_small_talk_takes_one_place():
    talk = [{"user": "How was the walk by the river today?", "assistant": f"Walk {n} was fine."} for n in range(60)]
    assert summarised(talk, limit=900).count("walk by the river") == 1


def test_firm_statements_stay_and_weak_ones_yield_to_newer():
    firm = [statement(f"Never sell the field number {n} to the neighbours.", "user") for n in range(4)]
    weak = [statement(f"The shed number {n} has 31 old chairs in it.", "assistant") for n in range(4)]
    both = [each for pair in zip(weak, firm, strict=True) for each in pair]
    assert sorted(chosen(both, [10] * 8, 60)) == [1, 3, 4, 5, 6, 7]
    assert sorted(chosen(firm, [10] * 4, 20)) == [0, 1]


@given(st.integers(0, 400))
def test_shortened_sentence_keeps_its_negation_or_nothing(limit):
    said = "For the coming release of the shop please don't rename the branch release-7 nor the tag v7.1 of the old one"
    short = squeezed(said, limit)
    assert not short or ("don't rename" in short and "nor" in short)
    assert len(short) <= limit


def test_summary_of_any_length_never_reverses_a_prohibition():
    talk = [{"user": f"Don't rename the branch X-{n}, please.", "assistant": "Noted."} for n in range(60)]
    for limit in (60, 200, 700, 1_500):
        for piece in re.split(r' \| |\n|: "', summarised(talk, limit)):
            assert "branch" not in piece or "Don't" in piece
