"""The links of the documentation lead to files and headings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import page_files

ROOT = Path(__file__).parent.parent.parent
PAGES = page_files(ROOT, ("README.md", "docs/**/*.md"))
INTEGRATIONS = page_files(ROOT, ("docs/integrations/*.md",))
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_exist(page):
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_front_page_links_every_integration_and_example():
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in INTEGRATIONS:
        assert f"(docs/integrations/{page.name})" in front
    pages = "".join(page.read_text(encoding="utf-8") for page in INTEGRATIONS)
    for example in page_files(ROOT, ("examples/*.py",)):
        assert f"(../../examples/{example.name})" in pages


def test_every_integration_names_an_existing_extra():
    extras = set(re.findall(r"^([\w-]+) = \[\"", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE))
    for page in INTEGRATIONS:
        named = re.findall(r"'\.\[([a-z-]+)\]'", page.read_text(encoding="utf-8"))
        assert set(named) <= extras, page.name
