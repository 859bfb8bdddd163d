"""What `cognitive serve` has beside the API: MCP and the dashboard under the same tokens, numbers for Prometheus."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import QueryParams
from starlette.types import Scope as Asgi

from cognitive.dashboard.access import AccessControl
from cognitive.dashboard.app import create, error_pages
from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.mcp import Endpoint, Scope
from cognitive.server.auth import caller_of, needs_no_token, visitor_of
from cognitive.server.config import MetricsPage, MountedApp
from cognitive.server.limits import within_rate_limit
from cognitive.telemetry.prometheus import PrometheusMetrics
from cognitive.wire.problems import NotAllowed


def mounts(layer: CognitiveLayer) -> Sequence[MountedApp]:
    """MCP and the dashboard for the agent of a token; whose Host and Origin it is, the server has looked at."""
    endpoint = Endpoint(layer, _mcp_scope, hosts=None)
    dashboard = create(layer, layer.explain.analytics, AccessControl(visitor_of, needs_no_token, within_rate_limit))
    return (
        MountedApp("/mcp", endpoint, endpoint.running),
        MountedApp("/ui", dashboard, own_login=True, error_page=error_pages()),
    )


def metrics_page(metrics: PrometheusMetrics, accept: str) -> MetricsPage:
    """The exposition, in the format that is asked for."""
    return MetricsPage(*metrics.exposition(accept))


def _mcp_scope(scope: Asgi) -> Scope:
    """The memory of the token's agent; an admin, and who needs no token, must say whose: `/mcp?agent=NAME`.

    Raises:
        InvalidInput: nobody is named, or more than one. NotAllowed: another one than the token's.
    """
    caller = caller_of(scope)
    named = QueryParams(scope["query_string"].decode("latin-1")).getlist("agent") or [caller.agent or ""]
    if len(named) != 1 or not named[0]:
        raise InvalidInput("agent: whose memory it is, this token does not say: ask for /mcp?agent=NAME, one name")
    if not caller.may(named[0]):
        raise NotAllowed("agent: this token is not for this agent")
    return Scope(named[0])
