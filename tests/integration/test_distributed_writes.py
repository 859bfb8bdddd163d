"""Find what Citus would refuse in our writing statements, from the parse trees of Postgres.

Every machine must write the same rows. A function whose result depends on more than its arguments must not occur where
the machines would call it: in RETURNING, in ON CONFLICT ... SET, within CASE or COALESCE, or anywhere with a
column among its arguments. Without a column it is evaluated once, on the coordinator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import asyncpg
import pytest

from tests.unit.test_statements import NAMED

TOKEN = re.compile(r"[{}()]|(?:\\.|[^\s{}()\\])+")
WRITING = {"2": "UPDATE", "3": "INSERT", "4": "DELETE"}
CALLS = {"FUNCEXPR": "funcid", "OPEXPR": "opno", "DISTINCTEXPR": "opno", "SCALARARRAYOPEXPR": "opno"}
CHOICES = {"CASEEXPR": "CASE", "COALESCEEXPR": "COALESCE"}
CHANGEABLE = """
SELECT 'funcid' AS field, oid::bigint, proname AS name FROM pg_proc WHERE provolatile <> 'i'
UNION ALL
SELECT 'opno', o.oid::bigint, oprname FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode WHERE provolatile <> 'i'
"""

Changeable = Mapping[tuple[str, int], str]  # name by field and oid


class Node:
    """A node of a parse tree: its kind and the values of its fields."""

    def __init__(self, tokens: Iterator[str]) -> None:
        self.kind = next(tokens)
        self.fields: dict[str, list[Any]] = {}
        for token in tokens:
            if token == "}":
                return
            if token.startswith(":"):
                values = self.fields.setdefault(token[1:], [])
            elif token == "{":
                values.append(Node(tokens))
            else:
                values.append(token)

    def __getitem__(self, field: str) -> list[Any]:
        return self.fields.get(field, [])

    def below(self) -> Iterator[Node]:
        """Yield this node and all its descendants."""
        yield self
        for values in self.fields.values():
            yield from among(values)


def among(values: list[Any]) -> Iterator[Node]:
    for each in values:
        if isinstance(each, Node):
            yield from each.below()


def refusal_reasons(query: Node, changeable: Changeable) -> Iterator[str]:
    """Yield the reasons for which Citus would refuse a writing query."""

    def called(values: list[Any]) -> Iterator[tuple[str, Node]]:
        for node in among(values):
            if (field := CALLS.get(node.kind)) and (name := changeable.get((field, int(node[field][0])))):
                yield name, node

    for clause in ("returningList", "onConflict"):
        yield from (f"{name} in {clause}" for name, _ in called(query[clause]))
    written = query["targetList"] * (WRITING[query["commandType"][0]] == "UPDATE") + query["jointree"]
    for name, node in called(written):
        if any(each.kind == "VAR" for each in node.below()):
            yield f"{name} of a column"
    for choice in among(written):
        if choice.kind in CHOICES:
            yield from (f"{name} in {CHOICES[choice.kind]}" for name, _ in called([choice]))


@pytest.fixture
async def parsed(urls):
    """Yield a parser of statements into query trees, and the functions and operators that are not immutable."""
    connection, trees = await asyncpg.connect(urls.admin), []
    connection.add_log_listener(lambda _, message: trees.append(message.detail or ""))
    changeable = {(row["field"], row["oid"]): row["name"] for row in await connection.fetch(CHANGEABLE)}
    await connection.execute("SET client_min_messages = log; SET debug_print_parse = on; SET debug_pretty_print = off")

    async def queries(sql: str) -> list[Node]:
        trees.clear()
        await connection.prepare(sql)
        tokens = (iter(TOKEN.findall(tree.removeprefix("{"))) for tree in trees if tree.startswith("{QUERY"))
        return [node for tree in map(Node, tokens) for node in tree.below() if node.kind == "QUERY"]

    yield queries, changeable
    await connection.close()


async def test_no_writing_statement_would_be_refused_by_citus(parsed):
    queries, changeable = parsed
    refusals, writing = [], 0
    for port, name, sql in NAMED:
        if re.search(r"<\w+>", sql):
            assert not re.search(r"\b(?:INSERT|UPDATE|DELETE)\b", sql), "composed statements only read"
            continue
        for query in await queries(sql):
            if query["commandType"][0] in WRITING:
                writing += 1
                refusals += [f"{port}.{name}: {what}" for what in refusal_reasons(query, changeable)]
    assert refusals == []
    assert writing > 100


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE cognitive.turn SET message = to_char(at, 'YYYY') WHERE agent_id = $1", "to_char of a column"),
        ("UPDATE cognitive.turn SET at = coalesce(at, now()) WHERE agent_id = $1", "now in COALESCE"),
        ("DELETE FROM cognitive.turn WHERE agent_id = $1 AND at > now() RETURNING now()", "now in returningList"),
        ("DELETE FROM cognitive.turn WHERE agent_id = $1 AND at < now() - interval '1 day'", None),
        (
            "INSERT INTO cognitive.embedding_model (agent_id, model) VALUES ($1, 'm')"
            " ON CONFLICT (agent_id, model) DO UPDATE SET live_at = now()",
            "now in onConflict",
        ),
    ],
)
async def test_parse_tree_check_detects_what_citus_refuses(parsed, sql, what):
    queries, changeable = parsed
    [query] = [each for each in await queries(sql) if each["commandType"][0] in WRITING]
    refusals = list(refusal_reasons(query, changeable))
    assert (what in refusals) if what else refusals == []
