"""Whether the server lives, whether its turns are whole, and its numbers."""

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
from cognitive.wire.models import Health

log = logging.getLogger(__name__)
router = APIRouter(tags=["health"])

_CACHE_SECONDS = 1.0  # an answer is repeated for so many seconds: anybody may ask, and each check costs a statement


class Readiness:
    """Looks whether a layer's parts are there, once at a time."""

    def __init__(self, layer: CognitiveLayer) -> None:
        self._layer = layer
        self._lock = asyncio.Lock()
        self._cached: tuple[float, Health] | None = None

    async def check(self) -> Health:
        """How it is, by part. What is wrong with one is for the log: it may name hosts and roles."""
        async with self._lock:
            if self._cached is None or monotonic() - self._cached[0] > _CACHE_SECONDS:
                self._cached = (monotonic(), await self._check())
            return self._cached[1]

    async def _check(self) -> Health:
        wrong = await self._layer.admin.readiness()
        for part, because in wrong.items():
            if because is not None:
                log.warning("not ready: %s: %s", part, because)
        parts = {part: "ok" if because is None else "unavailable" for part, because in wrong.items()}
        return Health("unavailable" if any(wrong.values()) else "ok", {**parts, **await self._replica()})

    async def _replica(self) -> Mapping[str, str]:
        """Told, and not counted: turns are whole without it."""
        replica = await self._layer.admin.replica()
        if replica is None:
            return {}
        if replica.unfit is not None:
            log.warning("the replica is not read: %s", replica.unfit)
            return {"replica": "unavailable"}
        return {"replica": f"ok, {replica.seconds:.1f} s behind"}


@router.get("/healthz", summary="Whether the process lives")
async def healthz() -> Health:
    """Asks nobody else."""
    return Health("ok", {})


@router.get("/readyz", summary="Whether turns are whole", responses={503: {"model": Health}})
async def readyz(request: Request, response: Response) -> Health:
    """Whether the database answers, has the schema of this version, and the embedding model is loaded; 503 if not.

    The server takes turns all the same: they are degraded, and their outcomes are kept. A `replica`, where there is
    one, is told of with its lag, and does not count: looks are answered by the primary while it is away.
    """
    health: Health = await request.app.state.readiness.check()
    response.status_code = 200 if health.status == "ok" else 503
    return health


@router.get(
    "/metrics",
    summary="Numbers for Prometheus",
    response_class=PlainTextResponse,
    responses={status: PROBLEMS[status] for status in (401, 403, 404, 421, 429, 503)},
)
def metrics(request: Request, caller: Admin) -> Response:
    """For admins: they count what all agents do. Off the event loop: looking at the journal takes a disk."""
    numbers = request.app.state.config.metrics
    if numbers is None:
        raise HTTPException(404, "metrics are not collected by this server")
    told = numbers(request.headers.get("accept", ""))
    return Response(told.content, media_type=told.media_type)
