"""An agent's memory for MCP clients: the tools `recall_context` and `remember`, resources and a prompt.

This package has the same name as the official SDK, `mcp`. Imports are absolute, so neither hides the other.

Modules, in order of execution:

- `standalone`: serve one scope from a separate process, over stdio or HTTP.
- `http`: serve over streamable HTTP, authenticating each request.
- `server`: answer the SDK's requests for tools, resources and the prompt.
- `scope`: the scope of a request, and the turn to which a call belongs.
- `tools`: the tools `recall_context` and `remember`.
- `resources`: the resources that a client may read.
"""

from __future__ import annotations

from cognitive.runtimes.mcp.http import Admit, Authenticate, Endpoint, bearer
from cognitive.runtimes.mcp.scope import TURN, Scope, TraceLookup
from cognitive.runtimes.mcp.server import create_server

__all__ = ["TURN", "Admit", "Authenticate", "Endpoint", "Scope", "TraceLookup", "bearer", "create_server"]
