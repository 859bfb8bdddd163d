"""Secrets and personal data are redacted; other numbers are kept."""

from __future__ import annotations

import pytest

for package in ("detect_secrets", "phonenumbers", "stdnum"):
    pytest.importorskip(package)

from brain import redacting  # noqa: E402 - beside the module of the extra
from brain.types import NewMemory  # noqa: E402 - beside the module of the extra
from cognitive.privacy.patterns import redact  # noqa: E402 - of an extra
from cognitive.privacy.secrets import SECRETS  # noqa: E402 - beside the module of the extra

GITHUB = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("My key is AKIAIOSFODNN7EXAMPLE, keep it.", "My key is [secret], keep it."),
        (f"Push with {GITHUB} please.", "Push with [secret] please."),
        ("password: correcthorse", "password: [secret]"),
        ("The token is abc123xyz.", "The token is [secret]."),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=[secret]"),
        ("Write to ada@example.org.", "Write to [mail address]."),
        ("Call +49 30 901820 or (212) 555-0199.", "Call [phone number] or [phone number]."),
        ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN [bank account]."),
        ("Card 4111 1111 1111 1111.", "Card [card number]."),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[private key]"),
    ],
)
def test_secret_or_personal_data_is_replaced_by_its_kind(text, redacted):
    assert redact(text) == redacted
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "The token is important to us.",
        "We met on 2026-09-01 at 12:30, order 20260901, version 10.20.30.",
        "Card 4111 1111 1111 1112 has the wrong check digit.",
        "",
    ],
)
def test_ordinary_text_is_unchanged(text):
    assert redact(text) == text


@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row.name)
def test_secrets_of_captured_lines_are_redacted_too(row):
    for text in row.examples:
        assert row.pattern.search(text)["secret"] not in redact(text), text
    for text in row.counterexamples:
        assert "[secret]" not in redact(text), text


def test_of_overlapping_matches_nothing_stays():
    assert redact("postgres://ada:p@ssw0rd@db.example.org/app") == "postgres[secret]/app"


KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow\n" * 4_000 + "-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("length", [19_980, 19_998, 20_000, 39_990])
@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("4111 1111 1111 1111", "[card number]"),
        ("+49 30 901820", "[phone number]"),
        (GITHUB, "[secret]"),
        ("password: correcthorse", "password: [secret]"),
        ("ada@example.org", "[mail address]"),
        (KEY, "[private key]"),
    ],
)
def test_match_is_found_wherever_it_stands_in_a_long_text(text, redacted, length):
    before = "x " * (length // 2)
    assert redact(f"{before}{text}") == f"{before}{redacted}"
    assert redact(f"{before}{text} {before}") == f"{before}{redacted} {before}"


def test_key_without_an_end_is_redacted_to_the_end_of_the_text():
    assert redact(f"key: {KEY[:-30]}") == "key: [private key]"


def test_number_is_not_cut_at_a_margin():
    text = "x " * 7_998 + "order 20255501990000000000 shipped " + "x " * 10_000
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (
            "//npm.example.org/:_authToken=0f4c1b2a-0f4c-0f4c-0f4c-0f4c1b2a0f4c",
            "//npm.example.org/:_authToken=[secret]",
        ),
        ("npm_" + "a1B2" * 9, "[secret]"),
        ("sk-" + "a1B2" * 5 + "T3BlbkFJ" + "a1B2" * 5, "[secret]"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0", "[secret]"),
    ],
)
def test_tokens_without_a_detector_are_redacted(text, redacted):
    assert redact(text) == redacted


def test_keys_of_objects_are_redacted_and_stay_distinct():
    value = {"ada@example.org": [{"bob@example.org": 1, "eve@example.org": "ada@example.org"}], "name": 2}
    assert redacting.value(value, redact) == {
        "[mail address]": [{"[mail address]": 1, "[mail address] 2": "[mail address]"}],
        "name": 2,
    }


def test_names_of_attributes_stay_and_keys_of_metadata_are_redacted():
    attributes = {"kind": "plan", "evidence": "ada@example.org"}
    memory = NewMemory(type="episode", content="x", attributes=attributes, metadata={"ada@example.org": "x"})
    changed = redacting.memory(memory, redacting.withheld)
    assert changed.attributes.keys() == memory.attributes.keys()
    assert changed.metadata == {"[withheld]": "[withheld]"}
