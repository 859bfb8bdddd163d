"""Detect structural signals of a message: length, code, paths, links, addresses, questions, lists, attachments."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

import re2

from cognitive.plan import Signals
from cognitive.preflight.rules.matching import compile_pattern
from cognitive.preflight.rules.smalltalk import OK, SOCIAL

LONG, LONGISH = 300, 200  # characters
SENTENCES, SENTENCE = 3, 5  # sentences that make the signal "sentences"; characters that a sentence must exceed
MANY_QUESTIONS = 3
POINTS = 2  # numbered lines that make a list
FOREIGN_WORDS = 2  # words of other languages that make a message foreign; a single one may be a name
FOREIGN_LETTERS = 0.2  # share of letters in another script above which a message is foreign

_EXTENSIONS = (
    r"(?:py|pyi|ts|tsx|js|jsx|mjs|rs|go|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|sh|bash|zsh|sql|html|css|scss|json|ya?ml"
    r"|toml|ini|cfg|conf|env|lock|md|rst|txt|csv|xml|log|ipynb|proto|tf|vue|svelte|sol|gradle|patch|diff)"
)
_path = compile_pattern(
    rf"(?:^|[\s(\"'`])(?:(?:[~.]{{0,2}}/)?(?:[\w.@-]+/)+[\w.-]+\.[a-z]\w{{0,5}}|[\w-][\w.-]*\.{_EXTENSIONS})"
    r"(?:[\s,;:!?)\"'`]|\.?$|\.\s)",
    name="structure.path",
)
_url = compile_pattern(r"\bhttps?://[^\s]{3}|\bwww\.[a-z0-9-]+\.[a-z]", name="structure.url")
_question = compile_pattern(r"""\?[)"'*\]]*(?:\s|$|[?!.])""", name="structure.question")
_amount = compile_pattern(r"\$ ?\d", name="structure.amount")
_address = compile_pattern(r"\b0x[0-9a-f]{8,64}\b", name="structure.address")
_base58 = compile_pattern(r"\b[1-9A-HJ-NP-Za-km-z]{32,44}\b", name="structure.base58")
# A single capitalised word can be a first name ("Where did Anna go", "Anna's hobbies"). After a preposition it is more
# likely a place, and at the end of "who is" a famous person.
_name = compile_pattern(
    r"\b([a-z'-]+),? (?:[A-Z][a-z]+ and )?[A-Z][a-z]{2,}(?:'s?)?(?: ([a-z])|[?.,]|$)", name="structure.name"
)
_BEFORE_PLACES = frozenset(b"in of to from at on near for the a an around via by about".split())
_BEFORE_THE_FAMOUS = frozenset(b"is are was were and".split())
_wonders = compile_pattern(
    r"^\W*(?:hey|hi|hello|so|and|ok)?\W*(?:when|where|what|which|why|how|who|whose|did|does|has|had|is|was"
    r"|according)\b",
    name="structure.wonders",
)
# A question without its mark: "how do i get there". "when the build is done" is none.
_asks = compile_pattern(
    r"^\W*(?:(?:hey|hi|hello|so|and|ok|but|also)\W+)?(?:(?:what|who|where|when|why|how)(?:'?s|'re|'d| is| are| was"
    r"| were| do"
    r"| does| did| can| could| should| would| will| has| have| had)|what kind|which|who|how (?:much|many|long|old"
    r"|far|often"
    r"|hot|big|fast|tall|come))\b",
    name="structure.asks",
)
_inline = compile_pattern(r"`[^`\n]{1,200}`", name="structure.inline_code")
_numbered = compile_pattern(r"(?m)^\s{0,8}(?:\d{1,2}[.)]|step \d{1,2})\s+\S", name="structure.numbered")
_STOPS = bytes.maketrans(b"!?", b"..")
_FOREIGN = compile_pattern(
    r"\b(?:der|das|und|ist|nicht|ein|eine|einen|einer|einem|mit|auf|bitte|wie|wird|noch|haben|wir|ich|uns|dem|den|von"
    r"|zu|mir|es|kann|auch|nach|fxr|xber|zum|zur|dass|oder"
    r"|que|los|las|el|una|por|para|con|del|sobre|yo|mi|tu|pero|como|favor|este|esta|hay|qux|cuxl|de|la|en"
    r"|est|les|une|dans|pour|avec|nous|vous|sur|quel|quelle|le|et|des|du|mon|ma|ce|pas|qui|je"
    r"|il|che|di|della|del|un|mia|cosa|sono|per|qual|come|ho|detto|ti|non|al"
    r"|minha|meu|uma|da|do|nxo|com|em|os|o que|het|een|niet|voor|van|op|dat|wat|hoe|ik|mijn|naar"
    r"|jest|jaka|jaki|nie|na|co|czy|det|och|att|hur|vad|fxr|ett|som|bir|bu|ne|ve|mi)\b",
    name="structure.foreign",
)
_ENGLISH = compile_pattern(
    r"\b(?:the|and|of|what|how|my|this|that|you|with|for|are|please|does|did|why|where|your|our|from|can|in|is|it"
    r"|to|i|we|me|on|at)\b",
    name="structure.english",
)
_MAX_READ = 300  # characters from which the language is detected
_MAX_TYPE = 100  # characters of a media type; the address of an attachment may contain its data
MEDIA = frozenset({"image", "audio", "video"})
_BEGINNINGS = {medium: (f"{medium}/", f"{medium}_", f"{medium}-") for medium in MEDIA}  # "image/png", "image-url"
_SUFFIXES = {
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "heic", "bmp", "tiff", "svg"), "image"),
    **dict.fromkeys(("mp3", "wav", "ogg", "oga", "m4a", "flac", "opus", "aac"), "audio"),
    **dict.fromkeys(("mp4", "mov", "webm", "mkv", "avi"), "video"),
}
_TYPED = (
    "type",
    "block_type",
    "mime_type",
    "media_type",
    "content_type",
    "mimetype",
    "kind",
    "mimeType",
    "mediaType",
    "contentType",
)
_NAMED = ("filename", "file_name", "name", "path", "url", "fileName")


def signals(text: str, seen: bytes, read: Signals, attachments: Sequence[Any], threshold: int) -> frozenset[str]:
    """Return the names of the structural signals that a message has, such as "url", "long" or "image".

    Args:
        text: The message.
        seen: The part of the message to search, as `fold` returns it, in the original case.
        read: The signals that other rules read; only those of small talk and ellipsis are used.
        attachments: The attachments of the message: strings, mappings or objects of the host.
        threshold: The length in characters below which a message is too short for complex work.
    """
    lower = seen.lower()
    questions = _count(_question, lower, MANY_QUESTIONS)
    present = {
        "small_talk": read.greeting and not attachments and _is_social(read.fired),
        "emoji_only": emoji_only(text) and not read.elliptic and not attachments,
        "url": _url.search(lower),
        "question": questions or _asks.search(lower),
        "path": _path.search(lower),
        "someone": _wonders.search(lower) and _has_first_name(seen),
        "fence": "```" in text,
        "inline_code": _inline.search(lower),
        "amount": _amount.search(lower),
        "address": _address.search(lower),
        "base58": any(_is_mixed(match) for match in _base58.findall(seen)),
        "long": len(text) > LONG,
        "longish": LONG >= len(text) > LONGISH,
        "short": len(text) < threshold,
        "sentences": _sentences(lower) >= SENTENCES,
        "numbered": _count(_numbered, lower, POINTS) >= POINTS,
        "many_questions": questions >= MANY_QUESTIONS,
        "two_questions": questions == MANY_QUESTIONS - 1,
        **dict.fromkeys(filter(None, map(kind, attachments)), True),
    }
    return frozenset(name for name, value in present.items() if value)


def emoji_only(text: str) -> bool:
    """Return True if a message consists of emoji only; digits do not count, though Unicode gives them `Emoji`."""
    marks = [char for char in text if not char.isspace()] if len(text) <= _MAX_READ else []
    return any(map(_is_picture, marks)) and all(_is_picture(char) or _is_emoji_modifier(char) for char in marks)


def foreign(text: str, seen: bytes) -> bool:
    """Return True if a message is in another language than English, so that the rules cannot classify it."""
    letters = [char for char in text[:_MAX_READ] if char.isalpha()]
    if letters and sum(ord(char) > 0x24F for char in letters) > FOREIGN_LETTERS * len(letters):
        return True
    lower = seen[:_MAX_READ].lower()
    foreign_words = len(set(_FOREIGN.findall(lower)))
    return foreign_words >= FOREIGN_WORDS and foreign_words > len(set(_ENGLISH.findall(lower)))


def kind(attachment: Any) -> str | None:
    """Return the medium of an attachment ("image", "audio" or "video") by its media type or file name, or else None.

    Some frameworks name the medium as the only key: `{"image": {…}}`.
    """
    if isinstance(attachment, str):
        return _of_type(attachment.removeprefix("data:")) or _of_name(attachment)
    types, names = (_values(attachment, keys) for keys in (_TYPED, _NAMED))
    if isinstance(attachment, Mapping) and len(attachment) == 1:
        types += map(str, attachment)
    return next(filter(None, chain(map(_of_type, types), map(_of_name, names))), None)


def _values(attachment: Any, keys: Sequence[str]) -> list[str]:
    if isinstance(attachment, Mapping):
        values = [attachment.get(key) for key in keys]
    else:
        values = [_attribute(attachment, key) for key in keys]
    return [str(value) for value in values if value is not None]


def _attribute(attachment: object, name: str) -> object:
    """Return an attribute of a framework's object, or None; some compute their media type, and raise if they cannot."""
    try:
        return getattr(attachment, name, None)
    except Exception:  # the object is foreign code
        return None


def _of_type(value: str) -> str | None:
    lower = value[:_MAX_TYPE].strip().lower().removeprefix("input_")
    return next((medium for medium in MEDIA if lower == medium or lower.startswith(_BEGINNINGS[medium])), None)


def _of_name(value: str) -> str | None:
    return _SUFFIXES.get(value.split("?")[0].rpartition(".")[2].lower())


def _is_social(fired: Sequence[str]) -> bool:
    """Return True if only rules for greetings, thanks and "ok" matched the message.

    "Do it" and "yes" do not count, because they may approve work that needs tools.
    """
    return bool(fired) and all(id == OK or id.startswith(f"{SOCIAL}.") for id in fired)


def _has_first_name(seen: bytes) -> bool:
    """Return True if a message mentions a person by first name."""
    return any(
        before not in _BEFORE_PLACES and (after or before not in _BEFORE_THE_FAMOUS)
        for before, after in _name.findall(seen)
    )


def _is_mixed(match: bytes) -> bool:
    """Return True if a text has digits, upper and lower case, as a wallet address does and a long word does not."""
    text = match.decode("ascii")
    return any(map(str.isdigit, text)) and any(map(str.isupper, text)) and any(map(str.islower, text))


def _count(pattern: re2._Regexp, text: bytes, limit: int) -> int:
    """Return the number of matches of a pattern, at most `limit`; further matches are not searched."""
    return sum(1 for _ in islice(pattern.finditer(text), limit))


def _sentences(lower: bytes) -> int:
    parts = lower.translate(_STOPS).replace(b". ", b"\n").split(b"\n")
    return sum(len(part.strip(b" .")) > SENTENCE for part in parts)


def _is_picture(char: str) -> bool:
    return ord(char) > 0xFF and unicodedata.category(char) == "So"


def _is_emoji_modifier(char: str) -> bool:
    """Return True if a character only modifies or joins emoji: joiner, variation selector, skin tone or tag."""
    return char in "\u200d\ufe0f" or 0x1F3FB <= ord(char) <= 0x1F3FF or 0xE0020 <= ord(char) <= 0xE007F
