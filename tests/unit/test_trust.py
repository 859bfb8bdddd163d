"""Memories below the required trust level are dropped, and no single source fills a turn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import candidate, ids

from brain.types import TRUSTS, NewMemory
from cognitive.context.trust import cap_per_source, drop_untrusted
from cognitive.feedback.capture import CapturedExchange, episodes
from cognitive.policy import Policy

LEVELS = st.sampled_from(TRUSTS)


@pytest.mark.parametrize(("trust", "shown"), [("foreign", False), ("talk", False), ("agent", True), ("host", True)])
def test_type_is_shown_from_its_minimum_trust_level(trust, shown):
    policy = Policy(trust={"min_level": {"decision": "agent"}})
    filtered = drop_untrusted(
        [candidate(1, type="decision", trust=trust), candidate(2, type="fact", trust=trust)], policy
    )
    assert ids(filtered.kept) == ([1, 2] if shown else [2])
    if not shown:
        [result] = filtered.dropped
        assert (result.disposition, result.value) == ("distrusted", TRUSTS.index(trust))
        assert trust in result.reason


def test_places_per_speaker_are_limited():
    mallory = [candidate(n, speaker="mallory", session_id=f"s{n}", trust="talk") for n in range(1, 11)]
    ada = [candidate(n, speaker="ada", trust="talk") for n in range(11, 14)]
    quoted = [candidate(n, speaker="ada", trust="foreign") for n in range(14, 16)]  # not certainly from Ada
    filtered = cap_per_source([*mallory, *ada, *quoted], 2)
    assert ids(filtered.kept) == [1, 2, 11, 12, 14, 15]
    assert [result.value for result in filtered.dropped if result.candidate.hit.speaker == "mallory"] == [*range(3, 11)]
    assert {result.disposition for result in filtered.dropped} == {"source_cap"}


@pytest.mark.parametrize(
    ("fields", "source_kind"),
    [({"session_id": "s", "source": "x/1"}, "session"), ({"source": "x/1"}, "source"), ({}, "origin")],
)
def test_source_without_speaker_is_session_source_or_trust_level(fields, source_kind):
    candidates = [candidate(n, trust="foreign", **fields) for n in range(1, 4)]
    [result] = cap_per_source(candidates, 2).dropped
    assert result.reason == f"number 3 of one {source_kind} with trust foreign; at most 2 are shown"


def test_host_memories_and_a_limit_of_zero_are_not_capped():
    host = [candidate(n, speaker="ada") for n in range(1, 9)]
    assert len(cap_per_source(host, 1).kept) == 8
    talk = [candidate(n, speaker="ada", trust="talk") for n in range(1, 9)]
    assert len(cap_per_source(talk, 0).kept) == 8


@given(
    st.lists(st.tuples(LEVELS, st.floats(0, 1e6), st.integers(0, 10_000), st.floats(0, 1e6), st.sampled_from("ab"))),
    LEVELS,
    st.integers(0, 4),
)
def test_usage_never_raises_trust(memories, min_level, max_per_source):
    """The same memories are left out with and without a usage history."""
    policy = Policy(trust={"min_level": {"fact": min_level}, "max_per_source": max_per_source})

    def remaining(*, used: bool) -> list[list[int]]:
        candidates = [
            candidate(
                n,
                trust=trust,
                speaker=speaker,
                **({"usage_shown": shown, "times_used": times, "usage_used": use} if used else {}),
            )
            for n, (trust, shown, times, use, speaker) in enumerate(memories, 1)
        ]
        first = drop_untrusted(candidates, policy)
        return [ids(first.kept), ids(cap_per_source(first.kept, policy.trust.max_per_source).kept)]

    assert remaining(used=True) == remaining(used=False)


def test_captured_memory_is_talk_and_stored_memory_is_host():
    exchange = CapturedExchange(
        "a", "s", "t", datetime(2026, 9, 1, tzinfo=UTC), "The vault is open on Mondays.", "Noted, Mondays."
    )
    assert {memory.trust for memory in episodes(exchange, Policy(capture="exchange"))} == {"talk"}
    assert NewMemory(type="fact", content="x").trust == "host"
