"""Which of several statements about an attribute replaces which depends on when they were made, not stored."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import FrameType
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from brain.claims import claim_of
from brain.superseding import Replacement, Version, replacements

START = datetime(2026, 1, 1, tzinfo=UTC)
FORMED = {"formed_by": "mine_is/1"}


def version(n: int, content: str, day: int, **fields) -> Version:
    base = Version(UUID(int=n), "fact", content, None, "talk", FORMED, START + timedelta(days=day))
    return replace(base, **fields)


def store(versions: list[Version], sizes: list[int]) -> dict[UUID, Replacement]:
    """Store versions in batches of these sizes as the store does: what is hidden longer than a new one lasts stays."""
    stored: list[Version] = []
    hidden: dict[UUID, Replacement] = {}
    while versions:
        size = sizes.pop() if sizes else 1
        batch, versions = versions[:size], versions[size:]
        since = min(each.occurred_at for each in batch)
        until = {id: by.at for id, by in hidden.items()}
        states = [replace(each, hidden_at=until.get(each.id, each.hidden_at)) for each in stored]
        read = [each for each in states if each.hidden_at is None or each.hidden_at > since]
        hidden |= replacements(batch, read)
        stored += batch
    return hidden


RENTS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from([900, 950, 990]), st.sampled_from([None, 1, 3])),
    min_size=1,
    max_size=7,
)


@given(RENTS, st.randoms(use_true_random=False), st.lists(st.integers(1, 3), max_size=7))
def test_every_order_of_the_same_statements_hides_the_same_ones(rents, rng, sizes):
    versions = [
        version(
            n,
            f"Our rent is {rent} euros.",
            day,
            hidden_at=None if lasts is None else START + timedelta(days=day + lasts),
        )
        for n, (day, rent, lasts) in enumerate(rents)
    ]
    in_order = store(sorted(versions, key=lambda each: each.occurred_at), [])
    rng.shuffle(versions)
    shuffled = store(versions, sizes)
    assert {id: by.at for id, by in shuffled.items()} == {id: by.at for id, by in in_order.items()}


def replaces(new: Version, old: Version) -> bool:
    return old.id in replacements([new], [old])


def test_only_a_later_value_of_the_same_origin_replaces():
    old, new = version(1, "Our rent is 900 euros.", 1), version(2, "Our rent is 950 euros.", 2)
    assert replaces(new, old)
    assert not replaces(old, new)
    assert not replaces(replace(new, occurred_at=old.occurred_at), old)
    assert not replaces(replace(new, content=old.content), old)
    assert not replaces(replace(new, content="Our deposit is 950 euros."), old)
    for other in ({"speaker": "Ben"}, {"trust": "host"}, {"attributes": {}}, {"type": "decision"}):
        assert not replaces(replace(new, **other), old)


def test_only_a_statement_of_another_name_replaces_a_name():
    names = ("My name is Tom Brandt.", "I'm Tom.", "I'm Kim.", "My name is Kim Weber.", "My name is Kim Klein.")
    full, part, other, fuller, married = (version(n, name, n) for n, name in enumerate(names))
    found = replacements([full, part, other, fuller, married], [])
    by = {id.int: replacement.id.int for id, replacement in found.items()}
    assert by == {0: 3, 1: 3, 2: 3, 3: 4}


def test_value_replaces_several_of_which_it_is_one():
    assert replaces(
        version(1, "Our database is now Postgres.", 2), version(2, "Our database is Postgres and Redis.", 1)
    )


def test_each_statement_is_parsed_once():
    new = [version(n, f"The code of door {n} is {4000 + n}.", n % 5) for n in range(40)]
    stored = [version(100 + n, f"The code of door {n} is {5000 + n}.", n % 7) for n in range(40)]
    parsed: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is claim_of.__code__:
            parsed.append(frame.f_locals["content"])

    sys.setprofile(note)
    try:
        found = replacements(new, stored)
    finally:
        sys.setprofile(None)
    assert sorted(parsed) == sorted(each.content for each in (*new, *stored))
    assert len(found) == sum(old.occurred_at != by.occurred_at for old, by in zip(stored, new, strict=True))
