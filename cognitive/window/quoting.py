"""Foreign words in a message of the engine's: as a quoted string on one line that nothing in it can close or fake."""

from __future__ import annotations

import json
import re

from cognitive.window.output import cutting

_TAG = re.compile(r"<(?=[A-Za-z/|!?])|`(?=``)")  # "a < b" stays as it is
_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def quote(text: str) -> str:
    """A text as a JSON string; tags and fences are broken by escapes, what shows nothing is written as one."""
    return _UNSEEN.sub(_escape, _TAG.sub(_escape, json.dumps(text, ensure_ascii=False)))


def within(text: str, limit: int) -> str:
    """A text quoted in at most so many characters, at least two: as much of its beginning as fits."""
    room = limit - 2
    while len(quoted := quote(cutting.head(text, room))) > max(2, limit):
        room -= len(quoted) - limit
    return quoted


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1] if ord(match.group()) > 0x7F else f"\\u{ord(match.group()):04x}"


def unquote(quoted: str) -> str | None:
    """The text that `quote` was given, or None if it is no quoted string."""
    try:
        text = json.loads(quoted)
    except ValueError:
        return None
    return text if isinstance(text, str) else None
