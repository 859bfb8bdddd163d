"""What comments say of the code beside them: of the fields of a class, of the rows of a constant."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from types import ModuleType

_SECTION = re.compile(r"-{3} (.+) -{3}")


def of_fields(source: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a class in order: name, section, and what the comments on, above and below it say.

    A line of comment below a field goes on with the field's own if that has one and the line does not begin anew, with
    a capital; otherwise it is of the field that follows.
    """
    comments, alone = _comments(source), _alone(source)
    section, last = "", 0
    [whole] = ast.parse(source).body
    for node in getattr(whole, "body", ()):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        above = [comments[n] for n in range(last + 1, node.lineno) if n in comments]
        headings = [match[1] for each in above if (match := _SECTION.fullmatch(each))]
        section = headings[-1] if headings else section
        end = node.end_lineno or node.lineno
        own = [comments[n] for n in range(node.lineno, end + 1) if n in comments]
        last = end
        while own and last + 1 in alone and _goes_on(comments[last + 1]):
            last += 1
            own.append(comments[last])
        said = [each for each in above if not _SECTION.fullmatch(each)]
        yield node.target.id, section, " ".join([*said, *own])


def _goes_on(comment: str) -> bool:
    return not _SECTION.fullmatch(comment) and not comment[0].isupper()


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = {token.start[0]: token.string.lstrip("# ").strip() for token in tokens if token.type == tokenize.COMMENT}
    return {line: text for line, text in found.items() if text and not text.startswith(("fmt:", "noqa"))}


def _alone(source: str) -> frozenset[int]:
    """The lines that are a comment and nothing else."""
    lines = enumerate(source.splitlines(), 1)
    return frozenset(_comments(source)) & {n for n, line in lines if line.lstrip().startswith("#")}


def of_constant(module: ModuleType, name: str) -> tuple[str, dict[str, str]]:
    """What the comment above a dict constant says, and those beside its rows."""
    source = inspect.getsource(module)
    comments, lines = _comments(source), source.splitlines()
    node = next(
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id == name
    )
    first = node.lineno
    while lines[first - 2].startswith("#"):
        first -= 1
    above = " ".join(comments[n] for n in range(first, node.lineno))
    keys = node.value.keys if isinstance(node.value, ast.Dict) else ()
    return above, {str(k.value): comments.get(k.lineno, "") for k in keys if isinstance(k, ast.Constant)}
