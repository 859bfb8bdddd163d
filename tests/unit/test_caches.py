"""Caches of texts are registered, so that an erasure can empty them."""

from __future__ import annotations

import re

from brain import caches

# These cache functions of tools, rules, settings and types, never text of memories or messages.
WITHOUT_TEXT = {
    "brain/caches.py",
    "brain/postgres/writing.py",
    "cognitive/catalog/tool_variants.py",
    "cognitive/telemetry/spans.py",
    "cognitive/window/rendering.py",
    "cognitive/window/output/normalise.py",
    "cognitive/preflight/category_table.py",
    "cognitive/client/transport.py",
}


def test_empty_clears_the_caches_of_decorated_functions():
    calls = []

    @caches.cached(8)
    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    assert (length("a"), length("a"), calls) == (1, 1, ["a"])
    caches.empty()
    assert (length("a"), calls) == (1, ["a", "a"])


def test_empty_clears_a_cache_that_an_object_owns():
    cache = caches.TextCache(8)
    cache.get(caches.key("a"), lambda: "a")
    caches.empty()
    assert len(cache) == 0


def test_lru_cache_is_used_only_where_no_text_is_cached(root):
    modules = {
        str(path.relative_to(root))
        for package in ("brain", "cognitive")
        for path in (root / package).rglob("*.py")
        if re.search(r"\blru_cache\(", path.read_text(encoding="utf-8"))
    }
    assert modules <= WITHOUT_TEXT
