"""Over standard input and output: one client, one agent; what is not the protocol goes to standard error."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from cognitive.layer import CognitiveLayer
from cognitive.runtimes.mcp.caller import Scope
from cognitive.runtimes.mcp.server import create_server


async def serve(scope: Scope) -> None:
    """Serves until standard input ends.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened; a database that is away is no reason.
    """
    async with CognitiveLayer.open() as layer, stdio_server() as (incoming, outgoing):
        server = create_server(layer, scope)
        await server.run(incoming, outgoing, server.create_initialization_options())
