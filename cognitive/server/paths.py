"""Which paths are what, for all that stands before the routes."""

from __future__ import annotations

API = "/api/"
PROBES = frozenset({"/healthz", "/readyz"})  # asked by address, and when all places are taken
PUBLIC = PROBES | {"/api/v1/openapi.json"}  # asked without a token
