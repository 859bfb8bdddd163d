"""A web page as text: what a browser runs or hides is left out, then the tags; where links lead stays."""

from __future__ import annotations

import html
import re

import re2

_LONGEST = 2_000_000  # characters of a page that are read; what stands behind is in the whole
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


def is_page(text: str) -> bool:
    """Whether a text is an HTML page."""
    return _PAGE.search(text[:1000]) is not None


def as_text(page: str) -> str:
    """The words of a page, a line for each of its blocks, links as "words <address>"."""
    text = _LINK.sub(r" [\1] ", _HIDDEN.sub(" ", page[:_LONGEST]))
    text = html.unescape(_TAG.sub(" ", _BLOCK.sub("\n", text)))
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
