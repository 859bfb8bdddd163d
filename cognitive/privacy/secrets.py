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


# The name may have a prefix ("DB_PASSWORD", "dbPassword"), but is no part of another word ("hatpin").
_NAME = (
    r"(?:(?:(?<![^\W_])|(?-i:(?<=[a-z0-9])(?=[A-Z])))(?:(?:pg)?pass(?:word|wd|phrase|code)|pwd|api[ _-]?key"
    r"|access[ _-]?key|secret(?:[ _-]?(?:access)?[ _-]?key)?|private[ _-]?key"
    r"|(?:auth|access|bearer|refresh|session|api|bot|personal access)?[ _-]?token|client[ _-]?secret|credentials?)"
    r"|(?<![\w-])pin|(?-i:(?<=_)PASS))"
)
# Part of each such name. Most texts have none, and looking for the names takes longer than all other rows.
_IN_NAMES = re.compile(r"(?i)pass|pwd|key|token|secret|credential|pin")
_BY_NAME = ("assigned", "stated")  # the rows with such a name
_QUOTES = r"[\"'`*\\]{0,4}"
# What a value of code is that holds no secret: a call, or a constant.
_CODE = (
    r"(?:await\s)?(?:\w{1,40}(?:\.[a-z_]\w{0,40}){1,5}\(|[a-z_]{1,60}\([^)\n]{0,100}\)(?=[\s,;)\]}.]|$))"
    r"|(?:true|false|none|null)(?![\w-])"
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
        # A number after the colon is a port. A password may contain "@", or "/" and quotes before the first "@".
        re.compile(
            r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}:(?!\d{0,5}(?:[/?#\s]|$))"
            r"(?P<secret>[^\s/\"'`<>]{1,200}(?=@)|[^\s<>]{1,200}?(?=@))"
        ),
        (
            "postgres://ada:hunter2@db.example.org/app",
            "redis://:s3cr3tpw@cache:6379",
            "postgres://ada:p@ssw0rd@db/app",
            "postgres://ada:pa/s's@db",
        ),
        (
            "https://example.org:8080/path",
            "https://example.org:8080/@ada/notes",
            "https://example.org:8080?mail=ada@example.org",
            "https://example.org/a:b@c and mailto:ada@example.org",
            "git@example.org:ada/notes.git",
        ),
    ),
    SecretRow(
        "authorization",
        re.compile(
            rf"(?i)(?:\bauthorization{_QUOTES}\s{{0,3}}[=:]\s{{0,3}}{_QUOTES}"
            r"(?:(?:bearer|basic|token|apikey)\s{1,3}|(?=[\w.~+/-]*[\d=]))"
            r"|\bbearer\s{1,3}(?=[\w.~+/-]*[\d=])"
            r"|\bbasic\s{1,3}(?=[a-z/+]*[\d=])(?=[a-z0-9/+]{12,}={0,2}(?![\w.-])))"
            r"(?P<secret>[\w.~+/=-]{12,})"
        ),
        (
            "Authorization: Bearer abcdefghijklmnop",
            "curl -H 'authorization: token abcd1234efgh5678'",
            '{"Authorization": "Basic YWRhOmh1bnRlcjI="}',
            "a bearer abcdefghijklmnop1234567890",
            "Basic YWRhOmh1bnRlcjI=",
        ),
        (
            "bearer of bad news arrived",
            "basic understanding of the protocol",
            "the basic windows-11-installation",
            "authorization: administrators only",
            "the standard-bearer congratulations",
        ),
    ),
    SecretRow(
        "assigned",
        re.compile(
            rf"(?i){_NAME}[\"'*\\]{{0,4}}\s{{0,3}}(?:=>|:=|[=:：]){_QUOTES}\s{{0,3}}{_QUOTES}"
            rf"(?P<secret>(?<![\"'][\"'])(?<=[\"'])[^\s\"'`][^\"'`\n]{{3,200}}(?=[\"'])|(?!{_CODE})[^\s\"',;]{{4,}})"
        ),
        (
            "password: hunter2",
            "API_KEY=abc123def456",
            "the pin: 4471",
            "DB_PASSWORD=correcthorse",
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "export GITHUB_TOKEN=abcd1234efgh5678",
            "STRIPE_API_KEY: 0123abcd0123abcd",
            '"db_password": "hunter2xyz"',
            '{\\"dbPassword\\": \\"hunter2xyz\\"}',
            "mysql --password=correcthorse",
            "SMTP_PASS=hunter2",
            "**Password:** hunter2",
            "password：hunter2",
            'password = "a, b; c"',
        ),
        (
            "The password policy: it changes",
            "tokens: 900",
            "max_tokens=4096",
            "password reset: see the wiki",
            "primary_key = user_id",
            "PASSWORD_MIN_LENGTH=12",
            "hatpin: silver",
            "LED_PIN=GPIO13",
            "bypass: closed",
            "token = get_token()",
            "token = await vault.read(config, 1)",
            "`token`: the token of a server",
            "allow_credentials=True, timeout=5",
            'password="" and name="ada"',
        ),
    ),
    SecretRow(
        "stated",
        re.compile(
            rf"(?i){_NAME}(?: (?:for|of|to|on) (?:\S+ ){{1,5}}?)?\s{{0,3}}(?:is|was|=|are)(?: now)?\s{{1,3}}[\"'`]?"
            rf"(?P<secret>(?!{_CODE})(?=\S*\d)\S{{4,200}}?)(?=[\"'`.,;]?(?:\s|$))"
        ),
        (
            "My password is hunter2.",
            "The token for the bot is abc123xyz",
            "the wifi password is Tulip-88",
            "The DB_PASSWORD is hunter2",
        ),
        (
            "My password is wrong.",
            "The secret is to add salt.",
            "the password is stored in the vault",
            "token count = 400",
            'token = path.read_text(encoding="utf-8")',
        ),
    ),
)


def redact_secrets(text: str) -> str:
    """Return a text with each key, token and password replaced by "[secret]"."""
    for row in SECRETS:
        if row.name not in _BY_NAME or _IN_NAMES.search(text) is not None:
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
