"""What an exchange forms: the user's own statements, verbatim, and nothing that is asked, quoted, supposed or joked."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from benchmarks.formation import SENTENCES, form, measure
from cognitive.formation.extract import MAX_FORMED, extract
from cognitive.formation.memories import CapturedLine, formed_memories
from cognitive.policy.outcomes import FormationSettings
from cognitive.privacy.secrets import SECRETS, redact_secrets, redact_start

AT = datetime(2026, 3, 11, 9, tzinfo=UTC)


def kinds(message: str, answer: str = "") -> list[tuple[str, str]]:
    return [(each["type"], each["text"]) for each in form(message, answer, [])]


@pytest.mark.parametrize(
    "message",
    [
        "Do I live in Leeds?",
        "If I lived in Leeds, I'd have a dog.",
        "My boss says our rent is too low.",
        '"I live in Leeds and love the sea" is the first line of it.',
        "```\nI live in Leeds.\n```\nWhat is this?",
        "> I live in Leeds.\n\nwho wrote that",
        "Translate this into French: I live in Leeds and love the sea.",
        "Write a story about me. I live in Leeds and I am a pirate.",
        "I live in Leeds. Just kidding!",
        "Let's use Redis for the queue. Scratch that.",
        "Ich wohne in Leeds und wir haben zwei Hunde und eine Katze.",
        "Please sort the list by date.",
        "Thanks, that was great!",
        "Is the comma right in “I live in Leeds, and my dog is called Rex”",
        "The toast should begin: we live in Leeds.",
        "My homework: I live in Leeds. My aunt has a boat.",
        "She texted me 'I sold the boat. I live in Leeds now.' What should I say?",
        "Hi Rosa,\nwe live in Leeds now.\nBest,\nAda\n\nmake it longer",
        "Dear members, our office has moved to Elm Road.\n\nmake it friendlier",
        "My aunt in the chat: I'm selling the boat. We live in Leeds.",
        "Oh great, our deploy takes two hours again.",
        "I put my daughter to sleep.",
        "",
    ],
)
def test_nothing_is_formed(message):
    assert kinds(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "Dear assistant, we have a boat.\n\nWhat is the best rope?",
        "Occupation: I'm a baker. We have a boat.",
        "Sure: we have a boat.",
        "Is this correct? We have a boat.",
    ],
)
def test_words_to_the_assistant_and_labels_of_oneself_keep_ones_own_words(message):
    assert any("we have a boat" in text.lower() for _, text in kinds(message))


def test_what_is_said_instead_of_something_taken_back_is_formed():
    assert kinds("I live in Leeds. Scratch that, I live in York.") == [("fact", "I live in York.")]


def test_statements_of_one_message_are_formed_verbatim():
    message = "Hi! I'm a nurse in Ghent, and we decided to sell the boat. Which papers do I need?"
    assert kinds(message) == [
        ("fact", "I'm a nurse in Ghent"),
        ("decision", "we decided to sell the boat."),
    ]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("We live in Leeds, what could we visit", "We live in Leeds"),
        ("I work as a nurse, can you shorten it", "I work as a nurse"),
        ("Our van is a blue Transit, tell me the tyre size", "Our van is a blue Transit"),
        ("I'm vegan, any ideas?", "I'm vegan"),
        ("I work at the port now :) what should I ask in week one", "I work at the port now"),
        ("I'm a strict vegan, whats a good lunch", "I'm a strict vegan"),
        ("Our server is a Dell, which runs Debian 12.", "Our server is a Dell, which runs Debian 12."),
        ("I like tea, esp. green tea.", "I like tea, esp. green tea."),
        ("My doctor is Dr. Weber in Ghent.", "My doctor is Dr. Weber in Ghent."),
        (
            "Our plumber (Mr. Bell) comes every March and checks it.",
            "Our plumber (Mr. Bell) comes every March and checks it.",
        ),
        ("I'm allergic to nuts (not peanuts), so what can I cook?", "I'm allergic to nuts (not peanuts)"),
        ("(I'm a nurse in Ghent)", "I'm a nurse in Ghent"),
        (
            "I go sailing with my aunt and our cousins on Fridays.",
            "I go sailing with my aunt and our cousins on Fridays.",
        ),
        ("I'm a vegan but I can eat honey at times.", "I'm a vegan but I can eat honey at times."),
        ("We bought a boat and we keep it in Ghent.", "We bought a boat and we keep it in Ghent."),
        ("Can you give me a pasta dish, btw I'm vegan :)", "I'm vegan"),
    ],
)
def test_statement_is_formed_whole_and_without_the_request_behind_it(message, text):
    assert [formed for _, formed in kinds(message)] == [text]


@pytest.mark.parametrize(
    "message",
    [
        "my car's a blue Volvo",
        "were a choir of nine",
        "turns out our cellar floods every spring",
        "no no, my name is Maier",
        "My aunt is a vet in Lund, what a job lol",
        "for future replies please use euros",
    ],
)
def test_statements_in_the_spelling_of_chats_are_formed(message):
    assert len(kinds(message)) == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            "I work as a nurse so medical words would help the most.",
            ["I work as a nurse so medical words would help the most."],
        ),
        ("Our VAT number is 4471 in case you need it.", ["Our VAT number is 4471 in case you need it."]),
        ("I live in Leeds, I think.", []),
        ("Our rent would be 900 so we could save.", []),
    ],
)
def test_doubt_about_a_consequence_is_none_about_the_statement(message, text):
    assert [formed for _, formed in kinds(message)] == text


def test_appointment_is_formed_once_the_assistant_reports_it():
    request = "Please put lunch with Rita on Friday into my calendar."
    assert kinds(request, "Which Rita?") == []
    assert kinds(request, "I've put that on your calendar.") == [("plan", request)]


def test_long_list_of_statements_forms_a_bounded_number():
    assert len(extract("I like tea. " * 50, "").proposals) == MAX_FORMED


def test_plan_has_its_date_and_names_it():
    line = CapturedLine("I'm flying to Oslo tomorrow.", "user", AT, "s1", "turn/t1/user")
    [memory] = formed_memories(line, extract(line.text, "").proposals, FormationSettings())
    assert memory.content == "I'm flying to Oslo on 12 March 2026."
    assert memory.attributes == {"kind": "plan", "date": "2026-03-12", "formed_by": "going_to_dated/1"}
    assert (memory.type, memory.trust, memory.source) == ("episode", "talk", "turn/t1/user")


def test_statement_with_a_secret_forms_nothing():
    line = CapturedLine("My wifi password is [secret].", "user", AT, "s1", "turn/t1/user")
    assert formed_memories(line, extract(line.text, "").proposals, FormationSettings()) == []


@pytest.mark.parametrize("text", [text for row in SECRETS for text in row.examples])
def test_secret_is_redacted(text):
    assert "[secret]" in redact_secrets(text)


@pytest.mark.parametrize("text", [text for row in SECRETS for text in row.counterexamples])
def test_text_without_a_secret_stays(text):
    assert redact_secrets(text) == text


def test_web_token_is_searched_for_only_where_a_run_of_letters_begins():
    pattern = next(row.pattern for row in SECRETS if row.name == "web_token")
    run = "eyJaaaaaaaa-" * 20
    assert pattern.search(f"{run}.{run}.{run}").span("secret") == (0, 3 * len(run) + 2)
    assert all(pattern.search(f"{run}.aaaaaaaaa", start) is None for start in range(1, len(run)))


@pytest.mark.parametrize("secret", ["ghp_" + "a1B2" * 9, "eyJhbGciOiJub25lIn0." + "eyJzdWIiOiIxIn0" * 200 + ".aaaa"])
def test_secret_at_the_end_of_what_is_read_of_a_long_text_does_not_show(secret):
    for before in (100, 8_100 - len(secret), 8_100 - len(secret) // 2, 8_095, 8_100):
        text = "x " * (before // 2) + secret + " y" * 20_000
        start = redact_start(text, 100)
        assert len(start) >= 100
        assert redact_secrets(text).startswith(start)


def test_short_text_is_redacted_whole():
    assert redact_start("x" * 8_000 + " password: hunter2", 100).endswith(" password: [secret]")


def test_written_sentences_are_formed_with_precision():
    figures = measure(json.loads(SENTENCES.read_text(encoding="utf-8")))
    assert figures["all"]["precision"] >= 0.9
    assert figures["all"]["recall"] >= 0.5
    assert figures["all"]["quiet"] >= 0.9
    assert all(figures[kind]["precision"] >= 0.7 for kind in FormationSettings().kinds)
