"""All pages, in the order of the navigation: a new one is a file in `pages`, and its rows here."""

from __future__ import annotations

from cognitive.dashboard.page import Page
from cognitive.dashboard.pages import agents, overview, turns

PAGES: tuple[Page, ...] = (
    *agents.PAGES,
    *overview.PAGES,
    *turns.PAGES,
)
