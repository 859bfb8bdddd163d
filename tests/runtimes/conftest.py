"""Fixture: the layer that the frameworks run on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cognitive import CognitiveLayer, Policy


@pytest.fixture(scope="module")
async def layer(urls, embedder) -> AsyncIterator[CognitiveLayer]:
    policy = Policy(abstention=False, deadline_ms=20_000)  # these tests need memories to be shown, whatever their score
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer
