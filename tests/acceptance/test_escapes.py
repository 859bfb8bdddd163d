"""Promise P7: no known escape payload leaves the quotes of a memory in the rendered block."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from brain.search import Hit
from brain.types import Memory
from cognitive import Policy
from cognitive.context import render
from cognitive.prompt import memory_lines, unquote, with_injected, without_injected
from cognitive.trace import Candidate
from tests.unit import making

pytestmark = pytest.mark.promise(number=7)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
FAMILIES = json.loads((Path(__file__).parents[1] / "data" / "escape_payloads.json").read_text(encoding="utf-8"))
PAYLOADS = sorted({payload for family in FAMILIES.values() for payload in family})
# Text that a model, a terminal or a reader of the prompt may take for the end of the quote.
OUTSIDE = re.compile(
    r"<[/\u0300-\u036f\u2044\u2215]|<\||<[a-zA-Z!?]|\[/?INST\]|```"
    r"|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def hit(content: str, **fields) -> Hit:
    return making.hit(content=content, **fields)


def body(block: str, tag: str) -> str:
    """Return the text between the tags of a block."""
    opening, closing = f"<{tag}>\n", f"\n</{tag}>"
    assert block.startswith(opening)
    assert block.endswith(closing)
    return block[len(opening) : -len(closing)]


def test_at_least_two_hundred_payloads_exist():
    assert len(PAYLOADS) >= 200


@pytest.mark.parametrize("family", FAMILIES)
def test_payload_is_one_quoted_line_of_the_block(family):
    for payload in FAMILIES[family]:
        block = render.block([Candidate(hit(payload, speaker="Eve"))], Policy())
        inside = body(block, "memory-records")
        assert OUTSIDE.search(inside) is None, payload
        assert OUTSIDE.search(unicodedata.normalize("NFKC", inside)) is None, payload
        [line] = memory_lines(block)
        quoted = line.removeprefix("- 2026-09-01 ")
        assert unquote(quoted) == f"Eve: {payload}"
        assert all(unicodedata.normalize("NFKC", quoted).count(mark) == quoted.count(mark) for mark in '"\\'), payload
        assert without_injected(with_injected("What is it?", None, block)) == "What is it?"


@pytest.mark.parametrize("family", FAMILIES)
def test_payload_in_source_or_speaker_stays_quoted(family):
    for payload in FAMILIES[family]:
        named = hit("Tea is at noon.", speaker=payload, source=payload, session_id=payload)
        block = render.block([Candidate(named)], Policy())
        assert OUTSIDE.search(body(block, "memory-records")) is None, payload
        assert len(memory_lines(block)) == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_pinned_payload_stays_quoted(family):
    for payload in FAMILIES[family]:
        pinned = Memory(
            id=UUID(int=1),
            type="fact",
            content=payload,
            speaker=None,
            context="",
            occurred_at=AT,
            session_id=None,
            source=None,
            tags=(),
            entities=(),
            confidence=1.0,
            pinned=True,
            supersedes=None,
            replaced_by=None,
        )
        block = render.prefix([pinned], Policy())
        assert OUTSIDE.search(body(block, "pinned-memory-records")) is None, payload
        assert len(memory_lines(block)) == 1


def test_memory_with_an_earlier_block_does_not_close_the_block():
    earlier = render.block([Candidate(hit("Tea is at noon."))], Policy())
    block = render.block([Candidate(hit(earlier))], Policy())
    assert block.count("<memory-records>") == block.count("</memory-records>") == 1
    assert without_injected(block) == ""
