"""Splitting of a JSON text into records, while it is read: only the record at hand is in memory.

Every layout is accepted: JSON lines, an indented document, a list, pages in a list, and objects that hold lists of
records under any name, such as `{"results": […]}` or `{"ada": [{…}], "bob": [{…}]}`.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from cognitive.errors import InvalidInput

MAX_RECORD_LENGTH = 64_000_000  # characters; a conversation of a million words has about 10 million
MAX_DEPTH = 20  # of lists and objects around records
AT_ONCE = (
    1 << 20
)  # characters; a longer object is read member by member, unless its first key shows that it is a record
_CHUNK = 1 << 16  # characters
_NEAR = 20  # characters before and after an error that its message shows
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()

Record = Mapping[str, Any]


class TextFile:
    """The text of a file, in pieces. It can be read several times."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[str]:
        with self._path.open(encoding="utf-8") as file:
            try:
                while piece := file.read(_CHUNK):
                    yield piece
            except UnicodeDecodeError as error:
                raise InvalidInput(f"{str(self._path)!r} is not UTF-8: {error}") from None


class Lines:
    """The pieces of a text: those of a `TextFile`, or else lines, each with a line break at its end."""

    def __init__(self, text: Iterable[str]) -> None:
        self._text = text

    def __iter__(self) -> Iterator[str]:
        if isinstance(self._text, TextFile):
            return iter(self._text)
        return (line if line.endswith("\n") else f"{line}\n" for line in self._text)


@contextmanager
def rereadable(text: Iterable[str]) -> Iterator[Iterable[str]]:
    """Yield the pieces of a text in a form that can be read twice.

    Each element of `text` is a line; the elements of a `TextFile` are pieces of any length.
    """
    if isinstance(text, TextFile) or iter(text) is not text:
        yield Lines(text)
    else:
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="") as copy:
            copy.writelines(Lines(text))
            yield _Rewound(copy)


class _Rewound:
    """An open file that is read from its beginning each time."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        return iter(self._file)


@dataclass(frozen=True, slots=True)
class Place:
    """A record with the number of the line on which it begins, and its own number in the text; both begin at 1."""

    line: int
    number: int
    record: Record

    def __str__(self) -> str:
        """Return where the record is. If lines hold several records, the line alone does not say it."""
        return f"line {self.line}" + (f", record {self.number}" if self.number > self.line else "")


def records(text: Iterable[str], is_record: Callable[[Record], bool], first_keys: frozenset[str]) -> Iterator[Place]:
    """Yield the records of a JSON text, in order.

    `text` has the pieces of the text. An object is a record if `is_record` says so, or if there is no list or object
    in it. An object longer than AT_ONCE must begin with one of `first_keys` to be a record. The `user_id` of an object
    around records is passed on to records that have none.

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
        self._text, self._at = "", 0
        self._found = 0  # records
        self._line, self._counted = 1, 0  # the line at the position `_counted`

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
            while self._next_item("]", line):
                yield from self.values(around, depth + 1)
        elif kind == "{":
            yield from self._object(around, depth, line)
        elif kind == "#":
            raise InvalidInput(f"line {line}: expected JSON; Markdown cannot be imported")
        else:
            raise InvalidInput(
                f"line {line}: expected an object or a list, got {json.dumps(self._value(AT_ONCE))[:40]}"
            )

    def _object(self, around: Record, depth: int, line: int) -> Iterator[Place]:
        self._drop_read()
        start = self._at
        limit = MAX_RECORD_LENGTH if self._first_key() in self._first_keys else AT_ONCE
        try:
            value = self._value(limit)
        except _TooLong:
            value = None
        if value is not None and (self._is_record(value) or not any(map(_holds_objects, value.values()))):
            yield self._place(line, _with_user(value, around))
        else:
            self._at = start
            yield from self._members(around, depth, line)

    def _members(self, around: Record, depth: int, line: int) -> Iterator[Place]:
        """Yield the records of an object that is read member by member."""
        self._at += 1
        members: dict[str, Any] = {}
        nested = False
        while self._next_item("}", line):
            key = self._value(MAX_RECORD_LENGTH)
            self._expect(":")
            if self.peek() in ("[", "{") and self._holds_objects():
                nested = True
                yield from self.values({**around, **members}, depth + 1)
            else:
                members[str(key)] = value = self._value(MAX_RECORD_LENGTH)
                nested = nested or value == []  # a page without records
        if self._is_record(members) or not nested:
            yield self._place(line, _with_user(members, around))

    def _place(self, line: int, record: Record) -> Place:
        self._found += 1
        return Place(line, self._found, record)

    def _drop_read(self) -> None:
        """Drop the text before the reader's position from memory, if it is the larger part."""
        if self._at > len(self._text) // 2:
            self._here()
            self._text, self._at, self._counted = self._text[self._at :], 0, 0

    def _first_key(self) -> str:
        """Return the first key of the object at the reader's position, or "", without reading it."""
        at = self._at
        self._at += 1
        key = str(self._value(MAX_RECORD_LENGTH)) if self.peek() == '"' else ""
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

    def _next_item(self, closing: str, line: int) -> bool:
        """Skip a comma, and return False after skipping the closing bracket. `line` is that of the opening bracket."""
        if self.peek() == ",":
            self._at += 1
        following = self.peek()
        if following == closing:
            self._at += 1
            return False
        if not following:
            raise InvalidInput(f"line {line}: the text ends within this list or object")
        return True

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise InvalidInput(f"line {self._here()}: expected {character!r}")
        self._at += 1

    def _value(self, limit: int) -> Any:
        """Read the next value as a whole.

        Raises:
            _TooLong: it is longer than `limit` characters, or not JSON.
        """
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise InvalidInput(f"line {self._here()}: a value is nested too deeply") from None
            except json.JSONDecodeError as error:
                length = len(self._text) - self._at
                if length > limit:
                    raise _TooLong(f"line {self._here()}: not JSON, or longer than a record may be") from None
                if not self._more(max(length, _CHUNK)):
                    line = self._here() + self._text[self._at : error.pos].rstrip().count("\n")
                    near = self._text[max(self._at, error.pos - _NEAR) : error.pos + _NEAR]
                    raise InvalidInput(f"line {line}: not JSON: {error.msg}, near {near!r}") from None
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
        """Return the number of the line at the reader's position."""
        if self._at < self._counted:
            return self._line - self._text.count("\n", self._at, self._counted)
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


class _TooLong(InvalidInput):
    """A value is longer than it may be."""


def _holds_objects(value: Any) -> bool:
    """Return True for an object, a list of objects or lists, and an empty list, which is a page without records."""
    return isinstance(value, Mapping) or (isinstance(value, list) and (not value or isinstance(value[0], (dict, list))))


def _with_user(record: Record, around: Record) -> Record:
    user = around.get("user_id")
    return {**record, "user_id": user} if user is not None and record.get("user_id") is None else record
