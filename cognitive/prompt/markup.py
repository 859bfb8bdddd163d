"""What is injected into a prompt, and how it is known again: tags around memories, and a seal over what they hold.

The tags alone prove nothing: anybody can type them. A text is ours if it stands between our tags and ends with its
seal, a checksum of all before it. The seal has no key, since nothing is believed for its sake: what is recognised is
only left out of what is stored, compared or credited, and whoever seals words of his own hides his own words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

OPENING = "<memory-records>"
CLOSING = "</memory-records>"
PREFIX_OPENING = "<pinned-memory-records>"
PREFIX_CLOSING = "</pinned-memory-records>"
TAGS = ((OPENING, CLOSING), (PREFIX_OPENING, PREFIX_CLOSING))

RECORD = "- "  # begins a memory's line, and no other line of a block
UNSEALED = "0" * 12  # digits of a seal: by accident one text in a million million passes for ours
_GAP = "\n\n"  # between the user's words and what is added to them
# What no quoted memory holds (`quoting` breaks it), so that a body ends at the next tag, whosesoever that is:
# the pieces searched do not overlap, and the time is linear however many tags are left open.
TAG = r"<(?=[A-Za-z/|!?\uff01-\uff5e])"
_BLOCK = re.compile("|".join(rf"{opening}\n((?:[^<]++|(?!{TAG})<)*+){closing}" for opening, closing in TAGS))
_HINT = re.compile(r"^(.+) \(seal (\d{12})\)$", re.MULTILINE)


def sealed(opening: str, lines: Sequence[str], closing: str) -> str:
    """A block of these lines between its tags."""
    body = "\n".join(lines)
    return f"{opening}\n{body}\n{_seal(seal(body))}{closing}"


def hint_line(hint: str) -> str:
    """A hint as the prompt shows it: one line, known again."""
    words = " ".join(hint.split())
    return f"{words} (seal {seal(words)})"


def seal(text: str) -> str:
    """Twelve decimal digits of a text's SHA-256: any tokeniser takes as many tokens for each."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return f"{int.from_bytes(digest[:8], 'big') % 10 ** len(UNSEALED):0{len(UNSEALED)}}"


def tail(message: str, hint: str | None, block: str) -> str:
    """A message with what is injected behind it; `without_injected` gives the message back, byte for byte."""
    added = "\n".join(part for part in (hint_line(hint) if hint and hint.strip() else "", block) if part)
    return f"{message}{_GAP}{added}" if message and added else message or added


def without_injected(text: str) -> str:
    """A text without the blocks and hints that this product put into it, and without the line breaks before them.

    A text that holds none comes back as it is, byte for byte, whatever tags it holds. Linear in its length.
    """
    kept, position = [], 0
    for start, end in _injected(text):
        before = text[position:start]
        kept.append(before.removesuffix(_GAP) if before.endswith(_GAP) else before.removesuffix("\n"))
        position = end
    return "".join([*kept, text[position:]])


def records(text: str) -> list[str]:
    """The memories' lines in the blocks that a text holds, in order."""
    return [line for _, _, body in _blocks(text) for line in body.split("\n") if line.startswith(RECORD)]


def _injected(text: str) -> list[tuple[int, int]]:
    """Where blocks and hints stand, in order."""
    lines = _HINT.finditer(text) if " (seal " in text else ()  # most texts need no search line by line
    hints = ((line.start(), line.end()) for line in lines if seal(line.group(1)) == line.group(2))
    return sorted([*hints, *((start, end) for start, end, _ in _blocks(text))])


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a block stands, and the lines between its tags, for each whose seal holds."""
    for match in _BLOCK.finditer(text):
        held = match.group(1) or match.group(2) or ""
        body = held[: -len(_seal(UNSEALED)) - 1]
        if held == f"{body}\n{_seal(seal(body))}":
            yield match.start(), match.end(), body


def _seal(digits: str) -> str:
    return f"Seal: {digits}\n"
