"""An agent's rows can stand on one machine: every key and every reference says whose they are."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import UniqueConstraint

from brain.distribute import BY, statements
from brain.tables import metadata

TABLES = metadata.sorted_tables


def named() -> list[str]:
    return [name for each in statements() for name in re.findall(r"create_distributed_table\('cognitive\.(\w+)'", each)]


def test_every_table_is_distributed_once_by_the_agent_and_beside_the_others():
    assert sorted(named()) == sorted(table.name for table in TABLES)
    first, *others, functions = statements()
    assert "colocate_with => 'none'" in first
    assert all(f"'{BY}', colocate_with => 'cognitive.{named()[0]}'" in each for each in others)
    assert "create_distributed_function" in functions


def test_what_is_referred_to_comes_first():
    for table in TABLES:
        for key in table.foreign_key_constraints:
            assert named().index(key.referred_table.name) < named().index(table.name)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_whatever_is_unique_or_refers_names_the_agent(table):
    """Citus enforces both within a shard alone."""
    unique = [index.columns for index in table.indexes if index.unique]
    unique += [each.columns for each in table.constraints if isinstance(each, UniqueConstraint)]
    assert not list(table.primary_key) or BY in table.primary_key.columns
    assert all(BY in columns for columns in unique)
    for key in table.foreign_key_constraints:
        assert (BY, BY) in [(each.parent.name, each.column.name) for each in key.elements]
