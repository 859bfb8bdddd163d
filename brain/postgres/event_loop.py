"""Check that connections and locks are used only in the event loop that they were opened in."""

from __future__ import annotations

import asyncio

from brain.errors import WrongEventLoop


def running() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread, or None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def require(own: asyncio.AbstractEventLoop) -> None:
    """Raise WrongEventLoop unless `own` is the running event loop."""
    if running() is not own:
        raise WrongEventLoop(
            "the layer was opened in another event loop; call it there, or from threads through `Blocking`"
        )
