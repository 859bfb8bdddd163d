"""Secrets and personal data are redacted; other numbers are kept."""

from __future__ import annotations

import pytest

for package in ("detect_secrets", "phonenumbers", "stdnum"):
    pytest.importorskip(package)

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
