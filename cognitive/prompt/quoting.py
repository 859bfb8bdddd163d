"""Foreign words in a prompt of ours: as a quoted string on one line that nothing in it can close or fake."""

from __future__ import annotations

import json
import re

from cognitive.prompt.markup import TAG

# "a < b" stays as it is. Beside the tags of the line above: what compatibility normalisation or an eye reads as one, an
# entity that reads back as one, and the marks of a chat template that has no angle brackets.
_MARKUP = re.compile(
    TAG + r"|<(?=\s+/)|[\uff1c\ufe64](?=\s*[A-Za-z/|!?\uff01-\uff5e])"
    r"|[\u02c2\u1438\u2039\u2329\u276e\u2770\u27e8\u3008](?=\s*[/|!?\uff0f\uff5c\u2044\u2215])"
    r"|&(?=(?i:lt|#0*60|#x0*3c)\b)|\[(?=/?INST\])"
)
# Characters that show nothing or turn the direction of writing (controls, format characters, Unicode's
# Default_Ignorable_Code_Point, private use, line separators): between them a tag could hide. The joiners and the emoji
# selector pass inside other scripts and emoji, where they are part of the word.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
    "|(?:(?<![^\x00-\x7f])|(?<=^))[\u200c\u200d\ufe0f]|[\u200c\u200d\ufe0f](?![^\x00-\x7f])"
)
_FENCE = re.compile(r"`(?=``)")  # each backtick that begins a run of three: however long the run, no fence is left


def quote(text: str) -> str:
    """A text as a JSON string that nothing in it can close or fake.

    Line breaks and quotation marks are escaped by JSON. Tags are broken by escapes that JSON reads as the same
    character, and characters that show nothing or turn the direction of writing are written as escapes.
    """
    quoted = _MARKUP.sub(_escape, json.dumps(text, ensure_ascii=False))
    quoted = _FENCE.sub(_escape, quoted)
    return _UNSEEN.sub(_escape, quoted)


def unquote(quoted: str) -> str | None:
    """The text that `quote` was given, or None if it is no quoted string."""
    try:
        text = json.loads(quoted)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def _escape(match: re.Match[str]) -> str:
    return "".join(f"\\u{unit:04x}" for unit in _utf16(match.group()))


def _utf16(character: str) -> list[int]:
    encoded = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(encoded[n : n + 2], "big") for n in range(0, len(encoded), 2)]
