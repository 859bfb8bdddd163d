"""Fixtures: the layer that the frameworks run on, and each framework's harness."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from harness import Harness

from cognitive import CognitiveLayer, Policy

NAMES = sorted(path.stem.removesuffix("_harness") for path in Path(__file__).parent.glob("*_harness.py"))

# Filters for the warnings of a framework's own code, by the framework's name.
WARNINGS: Mapping[str, tuple[str, ...]] = {"llamaindex": ("ignore::pydantic.warnings.PydanticDeprecationWarning",)}


def _marked(name: str) -> Any:
    return pytest.param(name, marks=[pytest.mark.filterwarnings(each) for each in WARNINGS.get(name, ())])


@pytest.fixture(scope="module", params=map(_marked, NAMES))
def harness(request: pytest.FixtureRequest) -> Harness:
    try:
        return importlib.import_module(f"{request.param}_harness").HARNESS
    except ModuleNotFoundError as missing:
        pytest.skip(f"not installed: {missing.name}")


@pytest.fixture(scope="module")
async def layer(urls, embedder) -> AsyncIterator[CognitiveLayer]:
    policy = Policy(abstention=False, deadline_ms=20_000)  # these tests need memories to be shown, whatever their score
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer
