"""Serve an agent's memory to MCP clients: tools that search, store, correct and hide, resources and a prompt.

This package has the same name as the official SDK, `mcp`. Imports are absolute, so neither hides the other.

Modules, in order of execution:

- `standalone`: serve one agent's memory from a separate process, over stdio or HTTP.
- `http`: serve over streamable HTTP, and authenticate each request.
- `server`: answer the SDK's requests for tools, resources and the prompt.
- `scope`: determine the memory that a caller may use, and the turn to which a call belongs.
- `tool`: describe a tool, and return its result.
- `tools`: implement the tools `recall_context`, `remember` and `remember_conversation`.
- `changes`: implement the tools `correct` and `forget`.
- `resources`: return the resources that a client may read.
"""

from __future__ import annotations

from cognitive.extras import extra
from cognitive.runtimes.mcp.scope import TURN, McpScope

with extra("mcp"):
    from cognitive.runtimes.mcp.http import Admit, Authenticate, Endpoint, bearer
    from cognitive.runtimes.mcp.server import create_server
    from cognitive.runtimes.mcp.tool import TOOL_TRUST

__all__ = [
    "TOOL_TRUST",
    "TURN",
    "Admit",
    "Authenticate",
    "Endpoint",
    "McpScope",
    "bearer",
    "create_server",
]
