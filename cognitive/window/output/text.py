"""Clean a text as a terminal would show it, cut it without damaging characters, turn a web page into text."""

from __future__ import annotations

import html
import re
import unicodedata

import re2

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_STRUCK_TWICE = re.compile("([^\n\b])\b\\1|_\b")  # bold and underlined text in manual pages
_BACK = re.compile("\b+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]+")
_LINE_BREAKS = str.maketrans({"\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})

_WHOLE_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")
_MAX_CLUSTER_LENGTH = 64  # characters searched for a place to cut; no real text combines more
_JOINER = "\u200d"

_MAX_PAGE_LENGTH = 2_000_000  # characters of a page that are read; the rest is only in the stored whole
_HIDDEN = re2.compile(
    r"(?is)<!--.*?-->|<(?:script|style|svg|noscript|template|head)\b.*?</(?:script|style|svg|noscript|template|head)\s*>"
)
_LINK = re.compile(r"""<a\s[^<>]{0,300}?href=["']?([^"'<>\s]{1,300})[^<>]*>""", re.IGNORECASE)
_BLOCK = re.compile(
    r"</?(?:p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|nav|main|pre)\b[^<>]*>", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
_BLANKS = re.compile(r"[ \t]+")
_PAGE = re2.compile(r"(?is)^\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype html|html|head|body)\b")


# --- a text as a terminal shows it ---


def storable(text: str) -> str:
    """Replace the characters that Postgres cannot store (NUL and lone surrogates) by U+FFFD, one for each run."""
    return _UNSTORABLE.sub("\ufffd", text)


def clean(text: str) -> str:
    """Remove escape sequences, control characters and white space at line ends from a text.

    Lines end with a line feed. A single carriage return, by which a program overwrites a line, is kept: the functions
    `final` and `all_lines` interpret it. Cleaning twice changes nothing.
    """
    text = text.replace("\r\n", "\n")
    if _CONTROL.search(text):
        text = _BACK.sub("\r", _STRUCK_TWICE.sub(r"\1", _ESCAPE.sub("", text)))
        text = _CONTROL.sub("", text.translate(_LINE_BREAKS))
    if "\r" in text:
        text = "\n".join(
            "\r".join(piece.rstrip(" \t") for piece in line.rstrip(" \t\r").split("\r")) for line in text.split("\n")
        )
    elif " \n" in text or "\t\n" in text or text.endswith((" ", "\t")):
        text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return text


def all_lines(cleaned: str) -> str:
    """Return a cleaned text in which each state of an overwritten line is a line by itself.

    A carriage return in a line means that the program overwrote the line.
    """
    return cleaned.replace("\r", "\n")


def final(line: str) -> str:
    """Return a line as it looks after carriage returns have overwritten it: its last state that is not blank."""
    return next((piece for piece in reversed(line.split("\r")) if piece.strip()), "") if "\r" in line else line


# --- where a text may be cut ---


def head_of(text: str, characters: int) -> str:
    """Return the first `characters` characters of a text, or a few less if the cut would split a combined character."""
    return text if len(text) <= characters else text[: border(text, max(0, characters))]


def tail_of(text: str, characters: int) -> str:
    """Return the last `characters` characters of a text, or a few less if the cut would split a combined character."""
    if len(text) <= characters:
        return text
    start = len(text) - max(0, characters)
    while start < len(text) and not _border(text, start):
        start += 1
    return text[start:]


def border(text: str, place: int) -> int:
    """Return the last index up to `place` at which a text may be cut without splitting a combined character."""
    for back in range(place, max(0, place - _MAX_CLUSTER_LENGTH), -1):
        if _border(text, back):
            return back
    return place


def _border(text: str, place: int) -> bool:
    if place <= 0 or place >= len(text):
        return True
    return not (_joins(text, place) or _in_escape(text, place))


def _joins(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    if before == _JOINER or after == _JOINER or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":  # skin tones, tags of flags
        return True
    return _flag(after) and _flag(before) and _flags_before(text, place) % 2 == 1


def _flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, place: int) -> int:
    start = place
    while start > max(0, place - _MAX_CLUSTER_LENGTH) and _flag(text[start - 1]):
        start -= 1
    return place - start


def _in_escape(text: str, place: int) -> bool:
    start = text.rfind("\x1b", max(0, place - _MAX_CLUSTER_LENGTH), place)
    if start < 0:
        return False
    sequence = _WHOLE_ESCAPE.match(text, start)
    return sequence is not None and sequence.end() > place


# --- web pages ---


def is_web_page(text: str) -> bool:
    """Return True if a text is an HTML page."""
    return _PAGE.search(text[:1000]) is not None


def page_text(page: str) -> str:
    """Return the text of an HTML page, one line for each block. A link's address precedes its text in brackets."""
    text = _LINK.sub(r" [\1] ", _HIDDEN.sub(" ", page[:_MAX_PAGE_LENGTH]))
    text = html.unescape(_TAG.sub(" ", _BLOCK.sub("\n", text)))
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
