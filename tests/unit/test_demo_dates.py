"""The demo's conversation moves to the present: times, and the dates in its texts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from cognitive.cli import conversation

NOW = datetime(2027, 2, 3, 16, 20, 45, tzinfo=UTC)
DOCUMENT = {
    "items": [{"id": "i1", "at": "2026-10-12T09:00:00+00:00", "text": "Shut on {2026-10-31: day month}."}],
    "turns": [{"at": "2026-10-20T09:30:00+00:00", "text": "And on {2026-10-31: month day}, the {2026-10-31: nth}?"}],
}


def test_last_turn_is_now_and_items_keep_their_day_of_the_week():
    moved = conversation.moved(DOCUMENT, NOW)
    assert moved["turns"][0]["at"] == "2027-02-03T16:20:00+00:00"
    assert moved["items"][0]["at"] == "2027-01-25T09:00:00+00:00"  # a Monday again


def test_dates_in_texts_move_with_the_items():
    moved = conversation.moved(DOCUMENT, NOW)
    assert moved["items"][0]["text"] == "Shut on 13 February."
    assert moved["turns"][0]["text"] == "And on February 13, the 13th?"


@pytest.mark.parametrize("days", range(7))
def test_no_item_is_later_than_the_first_turn(days):
    now = NOW + timedelta(days=days)
    story = conversation.load_default(now)
    first = min(turn.at for turn in story.turns)
    last = max(memory.occurred_at for _, _, memory in story.items)
    assert timedelta(0) < first - last < timedelta(days=10)
    assert max(turn.at for turn in story.turns) == now.replace(second=0)


def test_no_mark_is_left_in_the_story():
    story = conversation.load_default(NOW)
    texts = [memory.model_dump_json() for _, _, memory in story.items]
    texts += [turn.text + turn.response for turn in story.turns]
    texts += [f"{each.says} {json.dumps(each.conditions)}" for turn in story.turns for each in turn.expectations]
    assert not [text for text in texts if "{2026-" in text]
