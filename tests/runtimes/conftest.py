"""The layer that frameworks run on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cognitive import CognitiveLayer, Policy


@pytest.fixture(scope="module")
async def layer(urls, embedder) -> AsyncIterator[CognitiveLayer]:
    policy = Policy(abstention=False, deadline_ms=20_000)  # what is asked here is where, not whether or when
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer
