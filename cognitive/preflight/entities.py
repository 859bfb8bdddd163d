"""What a message names: addresses, paths, versions, tickets, identifiers, quotations and proper names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from cognitive.preflight.keywords import is_common
from cognitive.preflight.periods import MONTHS, WEEKDAYS
from cognitive.preflight.rules.fillers import listed
from cognitive.preflight.rules.matching import Rule, RuleTable, compile_pattern

MOST_ENTITIES = 32
_MOST_MATCHES = 48  # looked at; only an adversary names more

_UPPER, _LOWER = r"\p{Lu}", r"[\p{Ll}\p{M}]"
_NAME = rf"(?:{_UPPER}['\x{{2019}}])?{_UPPER}{_LOWER}+(?:[-'\x{{2019}}]{_UPPER}{_LOWER}+)*"
_EXTENSION = (
    r"(?:py|pyi|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cpp|hpp|cs|php|sh|sql|md|rst|txt|json|ya?ml|toml|ini|cfg|env|lock"
    r"|csv"
    r"|tsv|xlsx?|docx?|pptx?|pdf|html?|css|scss|png|jpe?g|gif|svg|zip|tar|gz|log|ipynb|proto|tf|conf|xml|parquet)"
)

# In order of precedence where two could begin at the same character.
KINDS = (
    Rule("entity.url", "entity", r"(?:https?|ftp|ssh|git|postgres(?:ql)?|redis|s3|file)://[^\s<>\"'`\x{201d})\]]+",
         examples=("https://docs.example.org/a?b=1", "postgres://db:5432/app"), counterexamples=("http:", "a:// b")),
    Rule("entity.email", "entity", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
         examples=("ann.lee@example.com",), counterexamples=("a @ b.com",)),
    Rule("entity.quoted", "entity",
    r"\"[^\"\n]{2,60}\"|\x{201c}[^\x{201d}\n]{2,60}\x{201d}|`[^`\n]{2,60}`|\x{ab}[^\x{bb}\n]{2,60}\x{bb}",
         examples=('"blue green"', "`make check`", "“blue green”"), counterexamples=('"', "``")),
    Rule("entity.path", "entity", rf"(?:~|\.{{1,2}})?/(?:[\w.+-]+/)*[\w.+-]*\w/?|[A-Za-z]:\\[\w\\.-]+"
    rf"|(?:[\w.-]+/)+[\w.-]*\.\w{{1,8}}"
         rf"|(?:[\w-]+/){{2,}}[\w.-]+|[\w-]+(?:\.[\w-]+)*\.{_EXTENSION}\b",
         examples=("/etc/hosts", "src/app/main.py", "~/notes", "README.md", r"C:\temp\a.txt", "./run.sh"),
         counterexamples=("e.g. this", "TCP or IP")),
    Rule("entity.ticket", "entity", r"\b\p{Lu}[\p{Lu}\d]{1,9}-\d+\b|#\d+\b",
         examples=("PROJ-123", "#4711", "CVE-2024"), counterexamples=("a-1", "#tag")),
    Rule("entity.version", "entity", r"\bv\d+(?:\.\d+)*(?:-[\w.]+)?\b|\b\d+(?:\.\d+){2,}(?:[-+][\w.]+)?\b",
         examples=("v2", "1.4.2", "v3.1-rc.1", "10.0.0.1"), counterexamples=("2.5", "version")),
    Rule("entity.identifier", "entity",
    r"\b[A-Za-z]\w*_\w*[A-Za-z0-9]\b|\b\p{Ll}+\p{Lu}\w*|\b\p{Lu}[\p{Ll}\d]+\p{Lu}\w*|\b\p{Lu}\p{Ll}+\d[\w.]*\w"
    r"|\b\p{Lu}\p{Ll}+\d\b",
         examples=("user_id", "useState", "PostgreSQL", "iPhone", "GitHub"), counterexamples=("Postgres", "_")),
    Rule("entity.acronym", "entity", r"\b\p{Lu}[\p{Lu}\d]+s?\b",
         examples=("SQL", "K8S", "EC2", "APIs"), counterexamples=("I", "A b", "sql")),
    Rule("entity.product", "entity", rf"{_NAME} \d+\.\d+\b",
    examples=("Python 3.11",), counterexamples=("python 3",)),
    Rule("entity.name", "entity", rf"{_NAME}(?: (?:(?:of|de|van|von|la|del|der) )?{_NAME}){{0,3}}",
         examples=("we met Zoë Müller", "the Bank of England", "ask O'Brien"), counterexamples=("i like it",)),
)  # fmt: skip

_kinds = RuleTable(KINDS, whole=True)
_entity = compile_pattern("|".join(kind.pattern for kind in KINDS), name="entities")
_NAMES = frozenset({"entity.name", "entity.product"})
_DATES = frozenset((*WEEKDAYS, *MONTHS)) | listed("""
    january february march april june july august september october november december sept mon tue wed thu fri
""")


def entities(text: str) -> tuple[str, ...]:
    """What the text names, in order and each once. A capital letter makes a name of no everyday word that it begins."""
    found: dict[str, str] = {}
    encoded = text.encode()
    for match in islice(_entity.finditer(encoded), _MOST_MATCHES):
        start, end = match.span()
        for entity in _read(encoded, start, end):
            found.setdefault(entity.casefold(), entity)
        if len(found) >= MOST_ENTITIES:
            break
    return tuple(found.values())


def _read(encoded: bytes, start: int, end: int) -> Iterator[str]:
    piece = encoded[start:end].decode()
    before = encoded[max(0, start - 12) : start].decode(errors="ignore")
    after = encoded[end : end + 4].decode(errors="ignore")
    if (before[-1:].isalnum() or before[-1:] == "_") or (piece[-1].isalnum() and after[:1].isalnum()):
        return
    fired = _kinds.fired(encoded[start:end])  # empty where a match needed the text behind it
    kind = "entity.name" if (piece.istitle() and piece.isalpha()) or not fired else fired[0].id
    if kind in _NAMES:
        yield from _names(piece, begins=_begins_sentence(before))
    elif kind == "entity.acronym":
        if not is_common(piece):
            yield piece
    elif kind == "entity.quoted":
        yield piece[1:-1].strip()
    elif kind == "entity.url":
        yield piece.rstrip(".,;:!?")
    elif kind == "entity.version" or not piece.replace("/", "").replace(".", "").isdecimal():
        yield piece


def _names(piece: str, *, begins: bool) -> Iterator[str]:
    """The name without the everyday words that a sentence or title begins with, and the version that follows it."""
    words = piece.split()
    while begins and words and is_common(words[0]):
        words.pop(0)
    version = words.pop() if words and words[-1][0].isdigit() else ""
    if words and not (len(words) == 1 and words[0].lower() in _DATES):
        yield " ".join(words)
    if version:
        yield version


def _begins_sentence(before: str) -> bool:
    opened = before.rstrip(" \t\"'([{*_>-\u201c\u2018\u2022")
    return not opened or opened[-1] in ".!?:;\n\u2026\u3002"
