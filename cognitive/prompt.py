"""Put memory blocks and hints into a prompt: quote them, seal them, place them, and find them again.

Tags alone prove nothing, since anyone can type them. A text counts as the layer's own if it is between the layer's tags
and ends with its seal, a checksum of the text before it. The seal needs no key, since a forged one gains nothing: the
layer only leaves out sealed text when it stores, compares or credits messages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cognitive.policy.tables import Placement

OPENING = "<memory-records>"
CLOSING = "</memory-records>"
PREFIX_OPENING = "<pinned-memory-records>"
PREFIX_CLOSING = "</pinned-memory-records>"
USER_OPENING = "<user-memory-records>"
USER_CLOSING = "</user-memory-records>"
TAGS = ((OPENING, CLOSING), (PREFIX_OPENING, PREFIX_CLOSING), (USER_OPENING, USER_CLOSING))

RECORD = "- "  # begins a memory's line, and no other line of a block
UNSEALED = "0" * 12  # digits of a seal: one text in 10**12 has the right ones by accident
_GAP = "\n\n"  # between the user's message and the text added to it
# The start of a tag, which no quoted memory contains, since `quote` breaks it. A block thus ends at the next tag of any
# kind: searched pieces do not overlap, and the time is linear however many tags are left open.
TAG = r"<(?=[A-Za-z/|!?\uff01-\uff5e])"
_BLOCK = re.compile("|".join(rf"{opening}\n((?:[^<]++|(?!{TAG})<)*+){closing}" for opening, closing in TAGS))
_HINT = re.compile(r"^(.+) \(seal (\d{12})\)$", re.MULTILINE)
# Markup to break. Apart from the tags of `TAG`: the same with other letters and slashes, characters that compatibility
# normalisation or a reader takes for one of these or for a mark of JSON strings, entities that decode to one, and the
# marks of a chat template without angle brackets. "a < b", "<3" and "x <= y" are not changed.
_TAG_LETTER = r"[^\s0-9=<>()~.,;:'\"+*\\-]"
_SLASH = r"[/\uff0f\u2044\u2215]"
_MARKUP = re.compile(
    rf"<(?={_TAG_LETTER})|<(?=\s+{_SLASH})|[\uff1c\ufe64](?=\s*{_TAG_LETTER})"
    r"|[\u02c2\u1438\u2039\u2329\u276e\u2770\u27e8\u3008](?=\s*[/|!?\uff0f\uff5c\u2044\u2215])"
    r"|&(?=(?i:lt|#0*60|#x0*3c)\b)|[\uff02\uff3c\ufe68]"
    rf"|[\[\uff3b](?={_SLASH}?(?:INST|(?=\S{{0,3}}[^\x00-\x7f])[^\W\d_]{{4}})[\]\uff3d])"
)
# Characters that are invisible or change the direction of writing (controls, format characters, Unicode's
# Default_Ignorable_Code_Point, private use, line separators): they could hide a tag. The joiners and the emoji selector
# are allowed inside other scripts and emoji, where they are part of the word.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
    "|(?:(?<![^\x00-\x7f])|(?<=^))[\u200c\u200d\ufe0f]|[\u200c\u200d\ufe0f](?![^\x00-\x7f])"
)
_as_json = json.JSONEncoder(ensure_ascii=False).encode
# Each backtick, or what normalisation makes one, that begins a run of three: however long the run, no fence is left.
_FENCE = re.compile("[`\u1fef\uff40](?=[`\u1fef\uff40]{2})")


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The parts of a prompt besides the conversation, before they are placed. An empty part adds nothing."""

    system: str
    prefix: str
    message: str
    hint: str | None
    block: str
    user_prefix: str = ""


@dataclass(frozen=True, slots=True)
class PlacedPrompt:
    """A prompt's system message and user message as they are sent, and the user message as the host should store it."""

    system: str
    sent: str
    user_message: str


def sealed(opening: str, lines: Sequence[str], closing: str) -> str:
    """Return a block with these lines between its tags, and a seal: a checksum that proves that the layer wrote it."""
    body = "\n".join(lines)
    return f"{opening}\n{body}\n{_seal(seal(body))}{closing}"


def hint_line(hint: str) -> str:
    """Return a hint as one line of the prompt with a seal, a checksum by which the layer recognises it."""
    words = " ".join(hint.split())
    return f"{words} (seal {seal(words)})"


def seal(text: str) -> str:
    """Return the checksum that marks text of the layer: 12 decimal digits of the text's SHA-256.

    Every seal has the same number of tokens.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return f"{int.from_bytes(digest[:8], 'big') % 10 ** len(UNSEALED):0{len(UNSEALED)}}"


def with_injected(message: str, hint: str | None, block: str) -> str:
    """Return a message followed by the hint and the memory block; `without_injected` restores the message exactly."""
    added = "\n".join(part for part in (hint_line(hint) if hint and hint.strip() else "", block) if part)
    return f"{message}{_GAP}{added}" if message and added else message or added


def without_injected(text: str) -> str:
    """Return a text without the layer's memory blocks and hints, and without the line breaks before them.

    A text that has none of them is unchanged, whatever tags it contains. The time is linear in the text's length.
    """
    pieces, position = [], 0
    for start, end in _injected(text):
        before = text[position:start]
        pieces.append(before.removesuffix(_GAP) if before.endswith(_GAP) else before.removesuffix("\n"))
        position = end
    return "".join([*pieces, text[position:]])


def memory_lines(text: str) -> list[str]:
    """Return the lines that show memories in the memory blocks of a text, in order."""
    return [line for _, _, body in _blocks(text) for line in body.split("\n") if line.startswith(RECORD)]


def _injected(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each memory block and hint in a text, in order."""
    lines = _HINT.finditer(text) if " (seal " in text else ()  # avoids the search by line for most texts
    hints = ((line.start(), line.end()) for line in lines if seal(line.group(1)) == line.group(2))
    return sorted([*hints, *((start, end) for start, end, _ in _blocks(text))])


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start and end of each block with a valid seal (checksum) in a text, and the lines between its tags."""
    for match in _BLOCK.finditer(text):
        content = match[match.lastindex or 0]
        body = content[: -len(_seal(UNSEALED)) - 1]
        if content == f"{body}\n{_seal(seal(body))}":
            yield match.start(), match.end(), body


def _seal(digits: str) -> str:
    return f"Seal: {digits}\n"


def quote(text: str) -> str:
    """Quote a text as a JSON string, so that nothing in the text can end the string or pass for the prompt's own tags.

    JSON escapes line breaks and quotation marks. Tags are broken by escapes that JSON reads as the same character, and
    characters that are invisible or change the direction of writing are written as escapes.
    """
    quoted = _MARKUP.sub(_escape, _as_json(text))
    quoted = _FENCE.sub(_escape, quoted)
    return _UNSEEN.sub(_escape, quoted)


def unquote(quoted: str) -> str | None:
    """Return the text that was passed to `quote`, or None if it is not a quoted string."""
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


def place(parts: PromptParts, placement: Placement) -> PlacedPrompt:
    """Place the prefixes, hint and memory block in the prompt, where the policy's placement puts them."""
    return _PLACEMENTS[placement](parts)


def _user_tail(parts: PromptParts) -> PlacedPrompt:
    return PlacedPrompt(_stable(parts), with_injected(parts.message, parts.hint, parts.block), parts.message)


def _journaled(parts: PromptParts) -> PlacedPrompt:
    sent = with_injected(parts.message, parts.hint, parts.block)
    return PlacedPrompt(_stable(parts), sent, sent)


def _system(parts: PromptParts) -> PlacedPrompt:
    return PlacedPrompt(with_injected(_stable(parts), parts.hint, parts.block), parts.message, parts.message)


def _stable(parts: PromptParts) -> str:
    return "\n\n".join(part for part in (parts.system, parts.prefix, parts.user_prefix) if part)


_PLACEMENTS: Mapping[Placement, Callable[[PromptParts], PlacedPrompt]] = {
    "user_tail": _user_tail,
    "journaled": _journaled,
    "system": _system,
}
