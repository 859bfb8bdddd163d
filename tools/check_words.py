"""Check that code and docs stay readable for an engineer who is new to them: `python tools/check_words.py`.

Prints each place that breaks a rule and exits 1 if there is one. ruff's pydocstyle rules check that docstrings are
imperative; this script checks what ruff has no rule for.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cognitive", "brain", "benchmarks")
# Their strings are patterns, examples and lines of ordinary speech, or recorded as they are.
DATA = (
    "benchmarks/turns/question_kinds.py",
    "cognitive/bench/workload.py",
    "cognitive/context/speakers.py",
    "cognitive/context/lexicon.py",
    "cognitive/context/talk_rules.py",
    "cognitive/formation/rules/",
    "cognitive/preflight/rules/",
    "cognitive/window/engine_messages.py",
    "cognitive/window/slots/fact_rules.py",
    "cognitive/window/slots/rules.py",
)

MAX_DOC_WORDS = 40_400
MAX_GLOSSARY_TERMS = 30
MAX_TEST_NAME = 70
MAX_FORMATTER_EXCEPTIONS = 20  # tables of rules, columns and rows

RELATIVE_CLAUSE = re.compile(r"(What|Whether|How|Who|Whose|Whom|Whoever|Where|Which|When|Why|That|As many|So many)\b")
VAGUE = re.compile(
    r"(?<!')\b(whoever|somebody|nobody|so many|at most so|of its own|of their own|is told|are told|tells|told|heard"
    r"|stands|asked of|what of|what is due|by way of|as it came|what came|gives out|its words|is looked at|the talk"
    r"|a talk)\b",
    re.IGNORECASE,
)
SUPERLATIVE = re.compile(r"_?(MOST|LEAST|LONGEST|FEWEST|GREATEST|most|least|longest|fewest|greatest)_")
FORMATTER = re.compile(r"fmt: *(skip|off)")

Place = tuple[str, str]  # file and line, what is wrong there


def vague_words(place: str, text: str) -> Iterator[Place]:
    """Yield the vague words of a text, except those quoted as code."""
    for word in VAGUE.findall(re.sub(r"`[^`]*`", "", text)):
        yield place, f"say it in plainer words than '{word}'"


def docstrings(name: str, tree: ast.Module) -> Iterator[Place]:
    """Yield the docstrings that begin with a relative clause or use vague words."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            place = f"{name}:{getattr(node, 'lineno', 1)}"
            text = ast.get_docstring(node) or ""
            if RELATIVE_CLAUSE.match(text):
                yield place, f"begin the docstring with a verb or a noun: {text.splitlines()[0]}"
            yield from vague_words(place, text)


def messages_and_names(name: str, tree: ast.Module) -> Iterator[Place]:
    """Yield the string constants with vague words, and the limits that are not called `max_` or `min_`."""
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        message = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
        if message and " " in node.value and not name.startswith(DATA):
            yield from vague_words(f"{name}:{node.lineno}", node.value)
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        named = node.id if isinstance(node, ast.Name) and stored else getattr(node, "arg", None)
        if isinstance(named, str) and SUPERLATIVE.search(named):
            yield f"{name}:{getattr(node, 'lineno', 1)}", f"call it max_ or min_: {named}"


def comments(name: str, path: Path, exceptions: list[str]) -> Iterator[Place]:
    """Yield the comments with vague words; add the formatter's exceptions to `exceptions`."""
    with tokenize.open(path) as source:
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.COMMENT:
                place = f"{name}:{token.start[0]}"
                if FORMATTER.search(token.string):
                    exceptions.append(place)
                yield from vague_words(place, token.string)


def python_files() -> Iterator[Place]:
    """Yield what is wrong in the Python files of the packages."""
    exceptions: list[str] = []
    classes: dict[str, list[str]] = defaultdict(list)
    for path in files("*.py"):
        name = str(path.relative_to(ROOT))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from docstrings(name, tree)
        yield from messages_and_names(name, tree)
        yield from comments(name, path, exceptions)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name.lstrip("_")].append(f"{name}:{node.lineno}")
    for class_name, places in sorted(classes.items()):
        if len(places) > 1:
            yield ", ".join(places), f"two classes are called {class_name}"
    if len(exceptions) > MAX_FORMATTER_EXCEPTIONS:
        yield ", ".join(exceptions), f"more than {MAX_FORMATTER_EXCEPTIONS} exceptions from the formatter"


def sql_and_templates() -> Iterator[Place]:
    """Yield the SQL comments and lines of templates with vague words."""
    for path in [*files("*.sql"), *sorted((ROOT / "migrations").rglob("*.sql")), *files("*.html")]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = line if path.suffix == ".html" else line.partition("--")[2]
            yield from vague_words(f"{path.relative_to(ROOT)}:{number}", text)


def docs() -> Iterator[Place]:
    """Yield the vague words of the docs, and what makes them too long."""
    words = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        words += len(text.split())
        for number, line in enumerate(text.splitlines(), 1):
            yield from vague_words(f"{path.relative_to(ROOT)}:{number}", line)
    if words > MAX_DOC_WORDS:
        yield "docs", f"{words:,} words with README.md; at most {MAX_DOC_WORDS:,}"
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    terms = len(re.findall(r"^\| \w", glossary, re.MULTILINE)) - 1  # without the table's head
    if not 0 < terms <= MAX_GLOSSARY_TERMS:
        yield "docs/glossary.md", f"{terms} terms; between 1 and {MAX_GLOSSARY_TERMS}"


def test_names() -> Iterator[Place]:
    """Yield the tests with a name that is too long to be read at a glance."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_test = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")
            if is_test and len(node.name) > MAX_TEST_NAME:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", f"over {MAX_TEST_NAME} characters: {node.name}"


def files(pattern: str) -> list[Path]:
    """Return the files of the packages that match a pattern."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob(pattern))


def main() -> int:
    """Print what is wrong; return 1 if anything is."""
    places = [*python_files(), *sql_and_templates(), *docs(), *test_names()]
    for place, message in places:
        print(f"{place}: {message}")
    print(f"{len(places)} places to mend" if places else "The words are plain.")
    return int(bool(places))


if __name__ == "__main__":
    sys.exit(main())
