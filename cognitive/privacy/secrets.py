"""Redact keys, tokens and passwords in captured lines, by patterns that need no further package.

Captured lines outlive their conversation and are shown in others, so this is always done. The redactor of the extra
`privacy` (`cognitive.privacy.patterns`) knows more forms, and personal data too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SECRET = "[secret]"
_MAX_SECRET_CHARS = 4_000  # of a secret that is still recognised if the text is cut inside it


@dataclass(frozen=True, slots=True)
class SecretRow:
    """A pattern whose group `secret` is redacted, with examples and counterexamples that the tests check."""

    name: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()


_NAME = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|api[ _-]?key|access[ _-]?key|secret(?:[ _-]?(?:access)?[ _-]?key)?"
    r"|private[ _-]?key"
    r"|(?:auth|access|bearer|refresh|session|api|bot|personal access)?[ _-]?token|client[ _-]?secret|credentials?|pin)"
)

SECRETS = (
    SecretRow(
        "private_key",
        re.compile(
            r"(?P<secret>-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z))"
        ),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",),
        ("-----BEGIN CERTIFICATE-----",),
    ),
    SecretRow(
        "known_form",
        re.compile(
            r"\b(?P<secret>(?:sk|pk|rk)[-_](?:live|test|ant|proj)?[-_]?[A-Za-z0-9_-]{16,}"
            r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
            r"|glpat-[\w-]{16,}|xox[abposr]-[\w-]{10,}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[\w-]{30,}"
            r"|npm_\w{30,}|pypi-[\w-]{30,}"
            r"|hf_[A-Za-z0-9]{20,}|SG\.[\w-]{16,}\.[\w-]{16,})"
        ),
        ("Use sk-proj-abcdEFGH1234567890abcd", "the token ghp_abcdefghijklmnopqrstuvwx0123", "AKIAIOSFODNN7EXAMPLE"),
        ("sk-learn is a package", "the ski pass"),
    ),
    SecretRow(
        "web_token",
        # It begins where the run of letters begins, so that no run is searched twice. The signature may be cut off.
        re.compile(r"(?<![\w-])(?=[\w-]*?\beyJ[\w-]{8})(?P<secret>[\w-]++\.[\w-]{8,}(?:\.[\w-]*)?)"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "Use jwt-eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."),
        ("eyJhbGciOiJIUzI1NiJ9", "module.prototype.length"),
    ),
    SecretRow(
        "in_an_address",
        re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,80}:(?P<secret>[^\s@/]{1,200})@"),
        ("postgres://ada:hunter2@db.example.org/app",),
        ("https://example.org:8080/path",),
    ),
    SecretRow(
        "assigned",
        re.compile(rf"(?i)(?<![\w-]){_NAME}(?:[\"']?\s{{0,3}}[=:]\s{{0,3}})[\"']?(?P<secret>[^\s\"',;]{{4,200}})"),
        ("password: hunter2", "API_KEY=abc123def456", "the pin: 4471"),
        ("The password policy: it changes", "tokens: 900"),
    ),
    SecretRow(
        "stated",
        re.compile(
            rf"(?i)\b{_NAME}(?: (?:for|of|to|on) (?:\S+ ){{1,5}}?)? ?(?:is|was|=|are)(?: now)? [\"'`]?(?P<secret>"
            rf"(?=\S*\d)\S{{4,200}}?)(?=[\"'`.,;]?(?:\s|$))"
        ),
        ("My password is hunter2.", "The token for the bot is abc123xyz", "the wifi password is Tulip-88"),
        ("My password is wrong.", "The secret is to add salt."),
    ),
)


def redact_secrets(text: str) -> str:
    """Return a text with each key, token and password replaced by "[secret]"."""
    for row in SECRETS:
        text = row.pattern.sub(_redacted, text)
    return text


def redact_start(text: str, length: int) -> str:
    """Return a text with its secrets redacted; of a long text, only a start of at least `length` characters.

    The last characters that were read are left out. They may be the beginning of a secret that only its end shows to be
    one. The start is shorter than `length` if redaction shortens it by more than 4,000 characters.
    """
    read = length + 2 * _MAX_SECRET_CHARS
    return redact_secrets(text) if len(text) <= read else redact_secrets(text[:read])[:-_MAX_SECRET_CHARS]


def _redacted(found: re.Match[str]) -> str:
    start, end = found.start("secret") - found.start(), found.end("secret") - found.start()
    return found.group()[:start] + SECRET + found.group()[end:]
