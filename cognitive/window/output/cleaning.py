"""A terminal's text as it would show it: without escape sequences, control characters, and what was overwritten."""

from __future__ import annotations

import re

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_STRUCK_TWICE = re.compile("([^\n\b])\b\\1|_\b")  # how a typewriter, and a manual page, prints bold and underlined
_BACK = re.compile("\b+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]+")
_LINE_BREAKS = str.maketrans({"\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})


def storable(text: str) -> str:
    """The text with a mark in place of runs of what Postgres cannot keep: NUL characters, lone surrogates."""
    return _UNSTORABLE.sub("\ufffd", text)


def clean(text: str) -> str:
    r"""The text without escape sequences, control characters and white space at line ends; nothing is lost by it.

    Lines end with "\n"; a lone "\r" stays, for `final` or `all_lines`. Cleaning twice changes nothing.
    """
    text = text.replace("\r\n", "\n")
    if _CONTROL.search(text):
        text = _BACK.sub("\r", _STRUCK_TWICE.sub(r"\1", ESCAPE.sub("", text)))
        text = _CONTROL.sub("", text.translate(_LINE_BREAKS))
    if "\r" in text:
        text = "\n".join(
            "\r".join(piece.rstrip(" \t") for piece in line.rstrip(" \t\r").split("\r")) for line in text.split("\n")
        )
    elif " \n" in text or "\t\n" in text or text.endswith((" ", "\t")):
        text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return text


def all_lines(cleaned: str) -> str:
    """The text with every state that a carriage return overwrote on a line of its own."""
    return cleaned.replace("\r", "\n")


def final(line: str) -> str:
    """A line as carriage returns leave it: its last state that was not blank."""
    return next((piece for piece in reversed(line.split("\r")) if piece.strip()), "") if "\r" in line else line
