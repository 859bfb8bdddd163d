"""The memory layer for synchronous code: scripts, notebooks, and frameworks without asyncio.

    with Blocking.open() as layer:
        context = layer.pre_turn(Turn(agent_id="me", session_id="s1", text="..."))

Modules, in order of execution:

- `blocking`: `Blocking`, which opens a layer on an event loop in a new thread, and has every method of the layer.
- `namespaces`: the layer's namespaces, such as `sessions`.
- `methods`: make the blocking twin of an asynchronous method.
"""

from cognitive.blocking.blocking import Blocking

__all__ = ["Blocking"]
