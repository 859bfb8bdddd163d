"""Read the conversation that `cognitive demo` plays: the packaged one, or a JSON file of the same form.

The packaged one is written for fixed dates, which are moved so that its last turn is now. A text marks a date as
"{2026-10-12: day month}"; without the marks, a memory would say another date than the one on which it is stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from brain.languages import ENGLISH, MONTHS
from cognitive import Message, NewMemory
from cognitive.cli.expectations import Expectation
from cognitive.errors import InvalidInput

_MAX_QUESTIONS = 12
_WEEK = timedelta(weeks=1)
_MARKED = re.compile(r"\{(\d{4}-\d\d-\d\d): ([a-z ]+)\}")
_WORD = re.compile(r"[a-z]+")
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

Item = tuple[str, str | None, NewMemory]  # its id in the file, the id of the item that it supersedes, the memory


@dataclass(frozen=True, slots=True)
class DemoTurn:
    """One turn of the demo: the user's message, the model's prepared response, and what the demo says about it.

    `note` is text for the viewer. `expectations` are statements that are checked when the turn is played.
    """

    text: str
    response: str
    session: str
    at: datetime | None = None
    note: str = ""
    conversation: tuple[Message, ...] = ()
    expectations: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoConversation:
    """The conversation that the demo plays: the memories to store first, in order, and the turns."""

    title: str
    items: list[Item] = field(default_factory=list)
    turns: list[DemoTurn] = field(default_factory=list)


def load_default(now: datetime | None = None) -> DemoConversation:
    """Return the demo conversation that comes with the package, with its last turn at `now`; None is the present."""
    document = json.loads((files("cognitive.cli") / "demo_data" / "conversation.json").read_text("utf-8"))
    return _conversation(moved(document, now or datetime.now(UTC)))


def read(path: Path) -> DemoConversation:
    """Read a conversation for the demo from a JSON file.

    If the file has questions instead of turns, the first questions are used as turns.

    Raises:
        InvalidInput: the file is not JSON, or an item lacks a field; the message names the item.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{str(path)!r}: {error}") from error
    if isinstance(document, Mapping) and document.get("conversations"):
        document = document["conversations"][0]
    if not isinstance(document, Mapping) or "items" not in document:
        raise InvalidInput(f"{str(path)!r}: expected an object with 'items', or with 'conversations' of such")
    return _conversation(document)


def _conversation(document: Mapping[str, Any]) -> DemoConversation:
    title = str(document.get("title") or document.get("id") or "conversation")
    items: list[Item] = []
    previous: dict[str, str] = {}
    for n, item in enumerate(document["items"]):
        try:
            items.append(_item(item, previous))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"items[{n}]: {type(error).__name__}: {error}") from error
    rows = document.get("turns") or [_as_turn(each) for each in document.get("questions", [])[:_MAX_QUESTIONS]]
    try:
        turns = [_turn(row) for row in rows]
        for expectation in chain.from_iterable(turn.expectations for turn in turns):
            expectation.require_ids({id for id, _, _ in items})
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"turns: {type(error).__name__}: {error}") from error
    last = max((memory.occurred_at for _, _, memory in items if memory.occurred_at), default=None)
    turns = [turn if turn.at else replace(turn, at=last) for turn in turns]
    return DemoConversation(title, items, turns)


def _item(item: Mapping[str, Any], previous: dict[str, str]) -> Item:
    session = str(item["session"]) if item.get("session") is not None else None
    is_episode = item.get("type", "episode") == "episode"
    speaker = item.get("speaker")
    context = previous.get(session, "") if session and is_episode else ""
    if session and is_episode:
        previous[session] = f"{speaker}: {item['text']}" if speaker else str(item["text"])
    memory = NewMemory(
        type=item.get("type", "episode"),
        content=item["text"],
        speaker=speaker,
        context=context,
        occurred_at=_moment(item.get("at")),
        session_id=session,
        source=str(item["id"]),
        tags=tuple(item.get("tags", ())),
        entities=tuple(item.get("entities", ())),
        confidence=item.get("confidence", 1.0),
        pinned=item.get("pinned", False),
        attributes=item.get("attributes", {}),
        trust=item.get("trust", "talk"),
    )
    return str(item["id"]), item.get("supersedes"), memory


def _as_turn(question: Mapping[str, Any]) -> dict[str, Any]:
    answer = str(question.get("answer", ""))
    return {"text": question["text"], "response": answer, "session": "questions", "note": f"Gold answer: {answer}"}


def _turn(turn: Mapping[str, Any]) -> DemoTurn:
    return DemoTurn(
        text=turn["text"],
        response=turn.get("response", ""),
        session=str(turn.get("session", "demo")),
        at=_moment(turn.get("at")),
        note=turn.get("note", ""),
        conversation=tuple(Message(**message) for message in turn.get("conversation", ())),
        expectations=tuple(map(Expectation.parse, turn.get("expect", ()))),
    )


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def moved(document: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the demo's conversation with later (or earlier) dates: its last turn is at `now`.

    Items, and the dates in texts, move by whole weeks, because the texts name days of the week. Turns move by the exact
    time, so that up to seven days more lie between the last item and the first turn.
    """
    end = max(datetime.fromisoformat(turn["at"]) for turn in document["turns"])
    exact = now.astimezone(UTC).replace(second=0, microsecond=0) - end
    weeks = exact // _WEEK * _WEEK
    return {
        **document,
        "items": [_at(item, weeks, weeks) for item in document["items"]],
        "turns": [_at(turn, exact, weeks) for turn in document["turns"]],
    }


def _at(row: Mapping[str, Any], by: timedelta, weeks: timedelta) -> dict[str, Any]:
    """Return an item or turn with its time moved by `by`, and the dates in its texts moved by `weeks`."""
    return {**_filled(row, weeks), "at": (datetime.fromisoformat(row["at"]) + by).isoformat()}


def _filled(value: Any, weeks: timedelta) -> Any:
    """Return a JSON value in which each marked date is written out, moved by `weeks`."""
    if isinstance(value, str):
        return _MARKED.sub(lambda mark: _written(date.fromisoformat(mark[1]) + weeks, mark[2]), value)
    if isinstance(value, list):
        return [_filled(each, weeks) for each in value]
    if isinstance(value, Mapping):
        return {name: _filled(each, weeks) for name, each in value.items()}
    return value


def _written(day: date, form: str) -> str:
    """Return a date in the form that a mark names, such as "day month": "12 October"."""
    parts = {
        "day": str(day.day),
        "nth": f"{day.day}{_ENDINGS.get(day.day, 'th')}",
        "month": MONTHS[ENGLISH][day.month - 1],
        "iso": day.isoformat(),
    }
    return _WORD.sub(lambda word: parts[word[0]], form)
