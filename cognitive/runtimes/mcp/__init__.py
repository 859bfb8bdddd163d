"""An agent's memory for MCP clients: the recall tool, `remember`, resources and a prompt, over stdio or HTTP.

The names here are the official SDK's, `mcp`, and this package's; imports are absolute, so neither hides the other.
"""

from __future__ import annotations

from cognitive.runtimes.mcp.caller import Scope
from cognitive.runtimes.mcp.http import Admit, Authenticate, Endpoint, bearer
from cognitive.runtimes.mcp.server import create_server
from cognitive.runtimes.mcp.ties import TURN, Traced

__all__ = ["TURN", "Admit", "Authenticate", "Endpoint", "Scope", "Traced", "bearer", "create_server"]
