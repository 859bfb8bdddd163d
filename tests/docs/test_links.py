"""What a page points to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import found

ROOT = Path(__file__).parent.parent.parent
PAGES = found(ROOT, ("README.md", "docs/**/*.md"))
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_guide_and_example_is_reached_from_the_front_page():
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    for guide in found(ROOT, ("docs/guides/*.md",)):
        assert f"(docs/guides/{guide.name})" in front
    guides = "".join(guide.read_text(encoding="utf-8") for guide in found(ROOT, ("README.md", "docs/guides/*.md")))
    for example in found(ROOT, ("examples/*.py",)):
        assert f"examples/{example.name})" in guides


def test_every_guide_names_an_extra_that_is_there():
    extras = set(re.findall(r"^([\w-]+) = \[\"", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE))
    for guide in found(ROOT, ("docs/guides/*.md",)):
        named = re.findall(r"cognitive-layer\[([\w-]+)\]", guide.read_text(encoding="utf-8"))
        assert set(named) <= extras, guide.name
