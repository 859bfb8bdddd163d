"""Open the layer for one command, which ends soon: nothing is loaded that the command does not use."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cognitive import CognitiveLayer


@asynccontextmanager
async def opened(**extensions: Any) -> AsyncIterator[CognitiveLayer]:
    """Open a layer as the settings say, with these extensions of `CognitiveLayer.open`; close it at the end.

    The embedding model is loaded when it is first used.
    """
    gc.disable()  # importing makes hardly any garbage, and searching for it takes 5 % of a command's time
    try:
        from cognitive.bootstrap import assemble
        from cognitive.infrastructure import Extensions
        from cognitive.layer import CognitiveLayer

        gc.freeze()  # the search for garbage at the end of the process skips what was imported: 0.13 s less
    finally:
        gc.enable()
    async with assemble(None, None, extensions=Extensions(**extensions), load=False) as services:
        yield CognitiveLayer(services)
