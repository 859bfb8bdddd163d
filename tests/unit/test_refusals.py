"""Captured refusals of the assistant: they are recognised, rank low, and never answer a later question."""

from __future__ import annotations

import pytest

from cognitive.context.refusals import drop_refusals, only_refuses
from cognitive.trace import Candidate
from tests.unit.making import hit

REFUSALS = (
    "I can't help with that.",
    "I don't have access to your calendar.",
    "I'm sorry, I can't share the admin password.",
    "As an AI, I can't browse the internet.",
    "I'm not able to see the deployment logs from here.",
    "Unfortunately, I can't access the database right now. Could you paste the error?",
    "I'm sorry. I don't know who is on call.",
    "I can't find the contract. Please upload it again.",
)
ANSWERS = (
    "I can't recommend Redis here; Postgres is enough.",
    "I can't see the invoice, but the contract says 30 days.",
    "No, you can't restart db-2 in office hours.",
    "I can't deploy today: releases on Fridays need an approval.",
    "I can't share that. Petra in IT can.",
    "I couldn't find a table at Luigi's, so I booked one at Mario's for 8.",
)


def line(content: str, speaker: str = "assistant"):
    return hit(content=content, type="episode", speaker=speaker)


@pytest.mark.parametrize("text", REFUSALS)
def test_line_that_only_refuses_is_recognised(text):
    assert only_refuses(line(text))
    assert not only_refuses(line(text, "Rita"))


@pytest.mark.parametrize("text", ANSWERS)
def test_line_that_says_something_beside_a_refusal_stays(text):
    assert not only_refuses(line(text))


def test_refusals_are_candidates_only_of_questions_about_the_assistant():
    refused = Candidate(line(REFUSALS[2]), relevance=1.0)
    stated = Candidate(line("The admin password is in the safe.", "Rita"), relevance=0.5)
    result = drop_refusals([refused, stated], "what is the admin password?")
    assert result.kept == (stated,)
    assert [each.disposition for each in result.dropped] == ["irrelevant"]
    assert drop_refusals([refused, stated], "did you give Tom the admin password?").kept == (refused, stated)
