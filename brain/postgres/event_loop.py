"""The event loop that something was opened in: connections and locks belong to it, and break in any other."""

from __future__ import annotations

import asyncio

from brain.errors import WrongEventLoop


def running() -> asyncio.AbstractEventLoop | None:
    """The event loop of this thread, None where none runs."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def require(own: asyncio.AbstractEventLoop) -> None:
    """Raises WrongEventLoop unless it is this one that runs here."""
    if running() is not own:
        raise WrongEventLoop(
            "the layer was opened in another event loop; call it there, or from threads through `Blocking`"
        )
