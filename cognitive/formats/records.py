"""Splitting of a JSON text into records, while it is read: only the record at hand is in memory.

Every layout is accepted: JSON lines, an indented document, a list, pages in a list, and objects that hold lists of
records under any name, such as `{"results": […]}` or `{"ada": [{…}], "bob": [{…}]}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cognitive.errors import InvalidInput

MAX_RECORD_LENGTH = 64_000_000  # characters; a conversation of a million words has about 10 million
MAX_DEPTH = 20  # of lists and objects around records
_CHUNK = 1 << 16  # characters
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A record with the number of the line on which it begins."""

    line: int
    record: Record


def records(text: Iterable[str], is_record: Callable[[Record], bool], first_keys: frozenset[str]) -> Iterator[Place]:
    """Yield the records of a JSON text, in order.

    `text` has the pieces of the text. An object is a record if `is_record` says so, or if there is no list or object
    in it. An object whose first key is one of `first_keys` is read at once; others are read member by member. The
    `user_id` of an object around records is passed on to records that have none.

    Raises:
        InvalidInput: the text is not JSON, has other values than objects and lists, or a record is too long or nested
            too deeply. The message has the line's number.
    """
    reader = _Reader(text, is_record, first_keys)
    while reader.peek():
        yield from reader.values({}, 0)


class _Reader:
    """Reads JSON values from pieces of text; `at` is the position in the part of the text that is in memory."""

    def __init__(self, text: Iterable[str], is_record: Callable[[Record], bool], first_keys: frozenset[str]) -> None:
        self._pieces = iter(text)
        self._is_record = is_record
        self._first_keys = first_keys
        self._text, self._at, self._line = "", 0, 1

    def peek(self) -> str:
        """Return the next character that is not white space, or "" at the end of the text."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space is not None else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(1):
                return ""

    def values(self, around: Record, depth: int) -> Iterator[Place]:
        """Yield the records of the next value, which is in an object with the members `around`."""
        kind, line = self.peek(), self._here()
        if depth > MAX_DEPTH:
            raise InvalidInput(f"line {line}: lists and objects are nested more than {MAX_DEPTH} times")
        if kind == "[":
            self._at += 1
            while self._next_item("]"):
                yield from self.values(around, depth + 1)
        elif kind == "{":
            yield from self._object(around, depth, line)
        else:
            raise InvalidInput(f"line {line}: expected an object or a list, got {json.dumps(self._value())[:40]}")

    def _object(self, around: Record, depth: int, line: int) -> Iterator[Place]:
        start = self._at
        self._at += 1
        if self.peek() == '"':
            start, self._at = self._kept(start)
            if self._first_key() in self._first_keys:
                self._at = start
                yield from self._whole(self._value(), around, line)
                return
        members: dict[str, Any] = {}
        nested = False
        while self._next_item("}"):
            key = self._value()
            self._expect(":")
            if self.peek() in "[{" and self._holds_objects():
                nested = True
                yield from self.values({**around, **members}, depth + 1)
            else:
                members[str(key)] = self._value()
        if self._is_record(members) or not nested:
            yield Place(line, _with_user(members, around))

    def _whole(self, value: Any, around: Record, line: int) -> Iterator[Place]:
        """Yield the records in a value that is in memory."""
        if isinstance(value, list):
            for each in value:
                yield from self._whole(each, around, line)
            return
        inner = [each for each in value.values() if _holds_objects(each)] if isinstance(value, Mapping) else []
        if not isinstance(value, Mapping):
            raise InvalidInput(f"line {line}: expected an object, got {json.dumps(value)[:40]}")
        if self._is_record(value) or not inner:
            yield Place(line, _with_user(value, around))
            return
        for each in inner:
            yield from self._whole(each, {**around, **value}, line)

    def _kept(self, start: int) -> tuple[int, int]:
        """Drop the text before `start` from memory, and return the new positions of `start` and of the reader."""
        self._line += self._text.count("\n", 0, start)
        self._text, at = self._text[start:], self._at - start
        return 0, at

    def _first_key(self) -> str:
        """Return the key at the reader's position, without reading it."""
        at = self._at
        key = str(self._value(keep=True))
        self._at = at
        return key

    def _holds_objects(self) -> bool:
        """Return True if the next value is a list or object with an object or list in it, or an object."""
        if self._text[self._at] == "{":
            return True
        at = self._at
        self._at += 1
        inner = self.peek()
        self._at = at
        return inner in ("{", "[")

    def _next_item(self, closing: str) -> bool:
        """Skip a comma, and return False after skipping the closing bracket."""
        if self.peek() == ",":
            self._at += 1
        following = self.peek()
        if following == closing:
            self._at += 1
            return False
        if not following:
            raise InvalidInput(f"line {self._here()}: the text ends within a list or object")
        return True

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise InvalidInput(f"line {self._here()}: expected {character!r}")
        self._at += 1

    def _value(self, *, keep: bool = False) -> Any:
        """Read the next value as a whole. With `keep`, the text before it stays in memory."""
        self.peek()
        if not keep:
            _, self._at = self._kept(self._at)
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise InvalidInput(f"line {self._here()}: a value is nested too deeply") from None
            except json.JSONDecodeError as error:
                length = len(self._text) - self._at
                if length > MAX_RECORD_LENGTH:
                    raise InvalidInput(f"line {self._here()}: not JSON, or longer than a record may be") from None
                if not self._more(max(length, _CHUNK)):
                    raise InvalidInput(f"line {self._here()}: {error.msg}") from None
                continue
            if end < len(self._text) or not isinstance(value, (int, float)) or not self._more(1):
                self._at = end  # a number at the end of the text may go on
                return value

    def _more(self, length: int) -> bool:
        """Read at least `length` more characters; return False if there are none."""
        pieces = []
        while length > 0 and (piece := next(self._pieces, None)) is not None:
            pieces.append(piece)
            length -= max(len(piece), 1)
        self._text += "".join(pieces)
        return bool(pieces)

    def _here(self) -> int:
        return self._line + self._text.count("\n", 0, self._at)


def _holds_objects(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(v, (Mapping, list)) for v in value)
    )


def _with_user(record: Record, around: Record) -> Record:
    user = around.get("user_id")
    return {**record, "user_id": user} if user is not None and record.get("user_id") is None else record
