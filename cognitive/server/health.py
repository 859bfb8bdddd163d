"""Routes for monitoring: liveness, readiness and Prometheus metrics."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from time import monotonic

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import PlainTextResponse, Response

from cognitive.layer import CognitiveLayer
from cognitive.server.auth import Admin
from cognitive.server.problems import PROBLEMS
from cognitive.wire.responses import Health

log = logging.getLogger(__name__)
router = APIRouter(tags=["health"])

_CACHE_SECONDS = 1.0  # seconds; the probes need no token, and each check runs a statement


class Readiness:
    """Checks if the database and the other parts of a memory layer work.

    One check runs at a time, and its result is cached for a second.
    """

    def __init__(self, layer: CognitiveLayer) -> None:
        self._layer = layer
        self._lock = asyncio.Lock()
        self._cached: tuple[float, Health] | None = None

    async def check(self) -> Health:
        """Return the state of the layer's parts, from the cache if it is less than a second old.

        Reasons of failures are only logged, since they may contain names of hosts and database roles.
        """
        async with self._lock:
            if self._cached is None or monotonic() - self._cached[0] > _CACHE_SECONDS:
                self._cached = (monotonic(), await self._check())
            return self._cached[1]

    async def _check(self) -> Health:
        problems = await self._layer.admin.readiness()
        for part, reason in problems.items():
            if reason is not None:
                log.warning("not ready: %s: %s", part, reason)
        parts = {part: "ok" if reason is None else "unavailable" for part, reason in problems.items()}
        return Health("unavailable" if any(problems.values()) else "ok", {**parts, **await self._replica()})

    async def _replica(self) -> Mapping[str, str]:
        """Return the state of the read replica, if there is one.

        The replica has no effect on readiness, since turns do not need it.
        """
        replica = await self._layer.admin.replica()
        if replica is None:
            return {}
        if replica.unfit is not None:
            log.warning("the replica is not used: %s", replica.unfit)
            return {"replica": "unavailable"}
        return {"replica": f"ok, {replica.seconds:.1f} s behind"}


@router.get("/healthz", summary="Liveness probe")
async def healthz() -> Health:
    """Respond 200 if the process runs. The database is not checked."""
    return Health("ok", {})


@router.get("/readyz", summary="Readiness probe", responses={503: {"model": Health}})
async def readyz(request: Request, response: Response) -> Health:
    """Check that the database answers and has this version's schema, and that the embedding model is loaded.

    The status is 503 if one of these checks fails. A server that is not ready still accepts turns: they are degraded,
    and their outcomes are stored. A read replica is reported with its lag, but has no effect on the status, since the
    primary answers while the replica is away.
    """
    health: Health = await request.app.state.readiness.check()
    response.status_code = 200 if health.status == "ok" else 503
    return health


@router.get(
    "/metrics",
    summary="Prometheus metrics",
    response_class=PlainTextResponse,
    responses={status: PROBLEMS[status] for status in (401, 403, 404, 421, 429, 503)},
)
def metrics(request: Request, caller: Admin) -> Response:
    """Return Prometheus metrics. Needs an admin's token, since the metrics cover all agents."""
    # not a coroutine: FastAPI runs it in a thread, since counting the journal's entries reads a file
    exposition = request.app.state.config.metrics
    if exposition is None:
        raise HTTPException(404, "metrics are not collected by this server")
    page, media_type = exposition(request.headers.get("accept", ""))
    return Response(page, media_type=media_type)
