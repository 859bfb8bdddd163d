"""An agent's memory for MCP clients: the recall tool, `remember`, resources and a prompt, over stdio or HTTP.

The names here are the official SDK's, `mcp`, and this package's; imports are absolute, so neither hides the other.

Modules, in order of execution:

- `standalone`: run a process of its own that serves one scope, over stdio or HTTP.
- `http`: serve over streamable HTTP, each request admitted by itself.
- `server`: answer the SDK's requests for tools, resources and the prompt.
- `scope`: hold the scope of a request, and find the turn that a call belongs to.
- `tools`: the tools `recall_context` and `remember`.
- `resources`: the resources that a client may read.
"""

from __future__ import annotations

from cognitive.runtimes.mcp.http import Admit, Authenticate, Endpoint, bearer
from cognitive.runtimes.mcp.scope import TURN, Scope, TraceLookup
from cognitive.runtimes.mcp.server import create_server

__all__ = ["TURN", "Admit", "Authenticate", "Endpoint", "Scope", "TraceLookup", "bearer", "create_server"]
