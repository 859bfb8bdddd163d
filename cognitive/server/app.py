"""The ASGI app of a server, made of middleware, routes and mounted apps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import Any

from cognitive.extras import extra

with extra("server"):
    from fastapi import APIRouter, Depends, FastAPI, Security
    from fastapi.security import HTTPBearer
    from starlette.middleware import Middleware
    from starlette.responses import RedirectResponse
    from starlette.routing import BaseRoute, Mount, Route


from cognitive.layer import CognitiveLayer
from cognitive.server import agents, front, health, memories, policies, sessions, turns, upkeep
from cognitive.server.auth import Authentication, own_agent
from cognitive.server.browsers import HtmlErrors, Origin, SecurityHeaders
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.context_cache import ContextCache
from cognitive.server.limits import AuthFailureLimit, BodyLimit, ConcurrencyLimit, RequestRateLimit, Timeout
from cognitive.server.problems import API_DESCRIPTION, PROBLEMS, add_error_handlers, describe_problems
from cognitive.server.requests import RawPaths

_AGENT_PREFIX = "/agents/{agent_id:name}"
_BEARER = HTTPBearer(auto_error=False)  # for the OpenAPI description only; `auth.Authentication` checks tokens


def create_app(layer: CognitiveLayer, config: ServerConfig, mounts: Sequence[MountedApp] = ()) -> FastAPI:
    """Create the ASGI app that serves a memory layer. The caller opens and closes the layer.

    Each app of `mounts` handles the requests below its path, with limits like those of the API. An app without its own
    login is called for authenticated callers only, and its requests have no timeout. It learns the caller from
    `auth.caller_of(scope)`.

    Raises:
        PolicyError: other machines could connect and there are no tokens, or the token file cannot be used.
    """
    app = FastAPI(
        title="Cognitive layer",
        version=version("cognitive-layer"),
        description=API_DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        lifespan=_lifespan(mounts),
        middleware=_middleware(config, mounts),
        # FastAPI's own spans and logs would have user ids and search words of requests, and values that were refused.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.layer = layer
    app.state.config = config
    app.state.contexts = ContextCache(config.max_cached_contexts)
    app.state.readiness = health.Readiness(layer)
    add_error_handlers(app)
    describe_problems(app)
    for router in (_api(), health.router, front.router):
        app.include_router(router)
    for mounted in mounts:
        app.router.routes += _routes(mounted)
    return app


def _routes(mounted: MountedApp) -> list[BaseRoute]:
    """Return the routes of a mounted app: its path, and with `own_login` also all paths below it."""
    if not mounted.own_login:
        return [Route(mounted.path, mounted)]
    return [Route(mounted.path, RedirectResponse(f"{mounted.path}/")), Mount(mounted.path, mounted.app)]


def _api() -> APIRouter:
    """Return the routes of the API. Each route below an agent's path needs the agent's own token or an admin's."""
    api = APIRouter(prefix="/api/v1", responses=PROBLEMS, dependencies=[Security(_BEARER)])
    for router in (turns.router, memories.router, upkeep.router, sessions.router, policies.router, agents.router):
        api.include_router(router, prefix=_AGENT_PREFIX, dependencies=[Depends(own_agent)])
    api.include_router(agents.global_router)
    return api


def _middleware(config: ServerConfig, mounts: Sequence[MountedApp]) -> list[Middleware]:
    """Return the middleware, outermost first. Cheap checks come before expensive ones."""
    own_login_paths = [each.path for each in mounts if each.own_login]
    return [
        Middleware(SecurityHeaders),
        Middleware(Origin, hosts=config.hosts, origins=config.allowed_origins),
        Middleware(
            HtmlErrors, error_pages={each.path: each.error_page for each in mounts if each.error_page is not None}
        ),
        Middleware(AuthFailureLimit, per_minute=config.auth_failures_per_minute),
        Middleware(
            Authentication,
            tokens=config.known_tokens(),
            load_tokens=config.known_tokens,
            own_login_paths=own_login_paths,
        ),
        Middleware(RequestRateLimit, per_minute=config.requests_per_minute),
        Middleware(
            BodyLimit,
            max_bytes=config.max_body_bytes,
            max_buffered=config.max_buffered_bytes,
            seconds=config.body_seconds,
            own_login_paths=own_login_paths,
        ),
        Middleware(
            ConcurrencyLimit,
            max_requests=config.max_concurrent_requests,
            max_streams=config.max_streams,
            max_pages=config.max_pages,
            own_login_paths=own_login_paths,
        ),
        Middleware(Timeout, seconds=config.request_seconds, own_login_paths=own_login_paths),
        Middleware(RawPaths),
    ]


def _lifespan(mounts: Sequence[MountedApp]) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            app.state.layer.admin.on_erasure(app.state.contexts.forget)
            for mounted in mounts:
                if mounted.lifespan is not None:
                    await stack.enter_async_context(mounted.lifespan())
            yield

    return running
