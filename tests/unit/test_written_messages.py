"""Frames, follow-ups and dates of messages that were written by someone who had not seen the rules."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cognitive import Message, Policy, Turn
from cognitive.plan import Plan
from cognitive.preflight.category_learning import NOTHING_LEARNED
from cognitive.preflight.planner import Planner

DATA = Path(__file__).parents[1] / "data" / "plans"
NOW = datetime(2026, 6, 17, 10, tzinfo=UTC)  # a Wednesday
MIN_RIGHT = 0.95


class _NothingLearned:
    def cached(self, _agent_id: str):
        return NOTHING_LEARNED


PLANNER = Planner(Policy(), _NothingLearned())


def cases(name: str) -> list[dict]:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def plan(text: str, history: tuple[dict, ...] = ()) -> Plan:
    conversation = [Message(**each) for each in history]
    turn = Turn(agent_id="a", session_id="s", text=text, conversation=conversation)
    return PLANNER.plan(turn, NOW, Policy())


def test_messages_get_the_frame_that_a_reader_would_choose():
    rows = cases("frames")
    wrong = [row["message"] for row in rows if plan(row["message"]).frame not in (row["frame"], *row["also"])]
    assert len(wrong) <= (1 - MIN_RIGHT) * len(rows), wrong


def test_follow_ups_search_for_what_they_are_about():
    rows, wrong = cases("follow_ups"), []
    for row in rows:
        text = plan(row["message"], tuple(row["history"])).signals.text.lower()
        found = all(word.lower() in text for word in row["topic"])
        if not found or any(word.lower() in text for word in row["not_topic"]):
            wrong.append((row["message"], text))
    assert len(wrong) <= (1 - MIN_RIGHT) * len(rows), wrong


def test_dates_follow_the_tense_of_the_sentence():
    rows, wrong = cases("dates"), []
    for row in rows:
        span = plan(row["message"]).signals.dates
        last = span and (span.end - timedelta(seconds=1)).date().isoformat()
        if (span and span.start.date().isoformat(), last) != (row["from"], row["to"]):
            wrong.append((row["message"], span))
    assert len(wrong) <= (1 - MIN_RIGHT) * len(rows), wrong
