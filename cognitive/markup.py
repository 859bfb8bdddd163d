"""The tags between which the prompt shows memories: what is rendered by them is known again by them."""

from __future__ import annotations

OPENING = "<memory-records>"
CLOSING = "</memory-records>"
PREFIX_OPENING = "<pinned-memory-records>"
PREFIX_CLOSING = "</pinned-memory-records>"
