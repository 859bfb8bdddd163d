"""Redact secrets and personal data that have a recognisable form: the redactor of the extra `privacy`.

The patterns of `cognitive.privacy.secrets` and the detectors of detect-secrets find keys, tokens and passwords,
phonenumbers finds phone numbers, the check digits of python-stdnum confirm bank accounts and card numbers, and a
regular expression finds mail addresses. Names, places and confidential facts have no fixed form and are not redacted.
Each match is replaced by its kind in brackets, such as "[phone number]", so that the text can still be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from re import Pattern

from cognitive.extras import extra
from cognitive.privacy.secrets import SECRETS

with extra("privacy"):
    import phonenumbers
    from stdnum import iban, luhn

import re2

_REGIONS = (None, "US", "GB", "DE", "FR")  # assumed for phone numbers without a country code
_WINDOW = 20_000  # characters that `re` searches at once, since it blocks all other threads meanwhile
_MARGIN = 4_000  # characters before and after a window that are searched with it, so that no match is cut
# Detectors of tokens with an unmistakable form. Detectors by entropy or IP address redact too much ordinary text. Those
# of JSON web tokens, npm and OpenAI take quadratic time; the patterns of `cognitive.privacy.secrets` find their tokens.
_DETECTORS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("basic_auth", "BasicAuthDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
_PRIVATE_KEY = re2.compile(
    r"(?s)-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\z)"
)
_MAIL = re2.compile(r"[A-Za-z0-9._%+'-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+")
_ACCOUNT = re2.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = re2.compile(r"\b[0-9](?:[ -]?[0-9]){12,18}\b")

Span = tuple[int, int, str]  # start, end and kind of a match


def _expressions() -> tuple[Pattern[str], ...]:
    detectors = (getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _DETECTORS)
    return tuple(expression for detector in detectors for expression in detector.denylist)


_DETECTED = _expressions()
_ROWS = tuple(row for row in SECRETS if row.name != "private_key")  # a private key may be longer than a window


def redact(text: str) -> str:
    """Return the text with each secret and personal datum replaced by its kind in brackets."""
    parts, position = [], 0
    for start, end, kind in sorted([*_spans(text), *_spans_by_window(text)]):
        if start >= position:
            parts += [text[position:start], f"[{kind}]"]
        position = max(position, end)
    return "".join([*parts, text[position:]])


def _spans(text: str) -> Iterator[Span]:
    """Yield what the patterns of re2 match."""
    yield from ((*match.span(), "private key") for match in _PRIVATE_KEY.finditer(text))
    yield from ((*match.span(), "mail address") for match in _MAIL.finditer(text))
    yield from ((*match.span(), "bank account") for match in _ACCOUNT.finditer(text) if iban.is_valid(match.group()))
    yield from ((*match.span(), "card number") for match in _CARD.finditer(text) if _is_card(match.group()))


def _spans_by_window(text: str) -> Iterator[Span]:
    """Yield what the other patterns match. A match that touches no window, only its margin, belongs to another one."""
    for start in range(0, len(text), _WINDOW):
        first = max(0, start - _MARGIN)
        for begin, end, kind in _spans_in_window(text[first : start + _WINDOW + _MARGIN]):
            if first + begin < start + _WINDOW and first + end > start:
                yield first + begin, first + end, kind


def _spans_in_window(text: str) -> Iterator[Span]:
    yield from ((*match.span("secret"), "secret") for row in _ROWS for match in row.pattern.finditer(text))
    yield from ((*match.span(), "secret") for secret in _DETECTED for match in secret.finditer(text))
    for region in _REGIONS:
        matches = phonenumbers.PhoneNumberMatcher(text, region)
        yield from ((match.start, match.end, "phone number") for match in matches)


def _is_card(digits: str) -> bool:
    return bool(luhn.is_valid("".join(filter(str.isdigit, digits))))
