"""All pages, in the order of the navigation: a new one is a file in `pages`, and its rows here."""

from __future__ import annotations

from cognitive.dashboard.page import Page
from cognitive.dashboard.pages import across, catalogue, health, memories, overview, policies, turns, what_if

PAGES: tuple[Page, ...] = (
    *across.PAGES,
    *overview.PAGES,
    *turns.PAGES,
    *memories.PAGES,
    *policies.PAGES,
    *what_if.PAGES,
    *catalogue.PAGES,
    *health.PAGES,
)
