"""Promise P4: 200 users talk to one agent through every door at once, and each gets only their own words.

Each text has the canary of its user. Calls are cancelled and connections lost meanwhile. No answer, log record, span or
metric has the canary of another user; spans and metrics name no user at all.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from click.testing import CliRunner
from mcp import Client, MCPError
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cognitive import Blocking, CognitiveLayer, NewMemory, Outcome, Policy, Turn, TurnRef
from cognitive.cli.main import cli
from cognitive.client.client import CognitiveClient
from cognitive.client.transport import ApiTransport
from cognitive.errors import CognitiveError
from cognitive.runtimes.mcp import McpScope, create_server
from cognitive.server.app import create_app
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from cognitive.telemetry.attributes import CAPTURE_CONTENT
from cognitive.telemetry.prometheus import PrometheusMetrics
from tests.forked import forked
from tests.integration.test_users import SCOPED
from tests.internals import internals
from tests.serving import client_of

pytestmark = pytest.mark.promise(number=4)

USERS, CALLS, AT_ONCE = 200, 320, 8
CANARY = re.compile(r"kanari\d{3}")
QUESTION = "Which one sleeps in the barn?"
CANCELLED_EVERY, DISCONNECTED_EVERY = 5, 80  # calls
POLICY = Policy(capture="exchange", deadline_ms=5_000)

Door = Callable[[int, int], Coroutine[Any, Any, object]]  # makes a call as a user, and returns its answer


def name(user: int) -> str:
    return f"guest-{user:03}"


def canary(user: int) -> str:
    return f"kanari{user:03}"


def said(user: int, number: int) -> str:
    return f"The {canary(user)} sleeps in barn {number}."


def turn(agent: str, user: int, number: int) -> Turn:
    text = f"Where does the {canary(user)} sleep?"
    return Turn(agent_id=agent, session_id="s", turn_id=f"t{number}", user_id=name(user), text=text)


def doors_of_http(http, agent: str, file: Path) -> dict[str, Door]:
    """Return calls over HTTP; every second user has a token, the others are named by the token of the agent."""
    base, of_agent = f"/api/v1/agents/{agent}", create(file, agent)[1]
    tokens = {user: create(file, agent, user=name(user))[1] for user in range(1, USERS, 2)}

    async def post(user: int, path: str, body: dict) -> str:
        named = {} if user in tokens else {"user_id": name(user)}
        headers = {"Authorization": f"Bearer {tokens.get(user, of_agent)}"}
        return (await http.post(base + path, json={**body, **named}, headers=headers)).text

    async def turns(user: int, number: int) -> str:
        body = {"session_id": "s", "text": f"Where does the {canary(user)} sleep?", "turn_id": f"t{number}"}
        return await post(user, "/turns", body)

    return {
        "http turn": turns,
        "http search": lambda user, number: post(user, "/memories/search", {"query": QUESTION, "limit": 50}),
        "http find": lambda user, number: post(user, "/memories/find", {}),
    }


def doors_of_mcp(layer: CognitiveLayer, agent: str) -> dict[str, Door]:
    async def call(user: int, act: Callable[[Client], Coroutine[Any, Any, object]]) -> str:
        scope = McpScope(agent, user_id=name(user), may_remember=True, may_change=True)
        async with Client(create_server(layer, scope), mode="legacy") as client:
            try:
                return repr(await act(client))
            except MCPError as error:
                return str(error)

    return {
        "mcp recall": lambda user, number: call(
            user, lambda client: client.call_tool("recall_context", {"query": QUESTION})
        ),
        "mcp remember": lambda user, number: call(
            user, lambda client: client.call_tool("remember", {"content": said(user, number)})
        ),
        "mcp resource": lambda user, number: call(user, lambda client: client.read_resource("cognitive://turn/last")),
    }


def doors_of_layers(layer: CognitiveLayer, blocking: Blocking, client: CognitiveClient, agent: str) -> dict[str, Door]:
    async def exchange(user: int, number: int) -> object:
        context = await client.pre_turn(turn(agent, user, number))
        return context, await client.post_turn(
            TurnRef(agent, f"t{number}", name(user)), Outcome(response=said(user, 0))
        )

    async def remember(user: int, number: int) -> object:
        memory = NewMemory(type="fact", content=said(user, number), user_id=name(user), pinned=number % 9 == 0)
        return await client.remember(agent, [memory]), await client.recall(agent, QUESTION, user_id=name(user))

    def blocked(user: int, number: int) -> object:
        context = blocking.pre_turn(turn(agent, user, number))
        report = blocking.post_turn(context, Outcome(response=said(user, number)))
        return context, report, blocking.recall(agent, QUESTION, user_id=name(user))

    async def copied(user: int, number: int) -> list[str]:
        lines = [line async for line in layer.admin.export(agent, user_id=name(user))]
        await layer.admin.import_lines(agent, lines, user_id=name(user))
        return lines

    async def markdown(user: int, number: int) -> list[str]:
        return [line async for line in layer.admin.export_markdown(agent, user_id=name(user))]

    return {
        "client turn": exchange,
        "client remember": remember,
        "blocking": lambda user, number: asyncio.to_thread(blocked, user, number),
        "export and import": copied,
        "export of Markdown": markdown,
    }


def run_commands(connection, url: str, folder: str, agent: str, users: list[int]) -> None:
    """Run commands as several users in this process, and send each user with what the commands printed."""
    environment = {"COGNITIVE_DATABASE_URL": url, "COGNITIVE_DATA_DIR": folder, "COGNITIVE_AGENT": agent}
    for user in users:
        out = Path(folder) / f"{user}.jsonl"
        lines = [
            ("remember", said(user, 1)),
            ("recall", QUESTION),
            ("memory", "list"),
            ("why",),
            ("db", "export", str(out)),
            ("db", "import", str(out)),
        ]
        texts = [CliRunner().invoke(cli, [*words, "--user", name(user)], env=environment).output for words in lines]
        connection.send((user, "\n".join([*texts, out.read_text(encoding="utf-8") if out.exists() else ""])))
    connection.close()


async def interrupted(task: asyncio.Task, steps: int) -> None:
    """Cancel a task after some steps of the event loop."""
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()


class Records(logging.Handler):
    """Keeps what the product logs, with tracebacks."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def logged():
    records, loggers = Records(), [logging.getLogger(each) for each in ("brain", "cognitive")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(records)
        logger.setLevel(logging.DEBUG)
    yield records.lines
    for logger, level in zip(loggers, before, strict=True):
        logger.removeHandler(records)
        logger.setLevel(level)


@pytest.fixture
def spans(monkeypatch):
    monkeypatch.delenv(CAPTURE_CONTENT, raising=False)
    exporter = InMemorySpanExporter()
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
    trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
async def admin(urls):
    connection = await asyncpg.connect(urls.admin)
    yield connection
    await connection.close()


@pytest.fixture
async def layer(urls, embedder, metrics):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=POLICY, metrics=metrics) as layer:
        yield layer


@pytest.fixture
def metrics() -> PrometheusMetrics:
    return PrometheusMetrics()


@pytest.fixture
async def doors(layer, urls, embedder, agent, tmp_path):
    """Yield the calls through each door."""
    file = tmp_path / "tokens.toml"
    create(file, None)
    config = ServerConfig(tokens=file, requests_per_minute=1_000_000)
    blocking = await asyncio.to_thread(Blocking.start, urls.app, embedder=embedder, policy=POLICY)
    async with AsyncExitStack() as closing:
        http = await closing.enter_async_context(client_of(create_app(layer, config)))
        bearer = {"Authorization": f"Bearer {create(file, agent)[1]}"}
        remote = await closing.enter_async_context(client_of(create_app(layer, config), headers=bearer))
        client = CognitiveClient(ApiTransport(remote, 30, 1), 30)
        yield {
            **doors_of_http(http, agent, file),
            **doors_of_mcp(layer, agent),
            **doors_of_layers(layer, blocking, client, agent),
        }
    await asyncio.to_thread(blocking.close)


def strangers(text: str, user: int) -> set[str]:
    """Return the canaries of other users in a text."""
    return set(CANARY.findall(text.lower())) - {canary(user)}


async def disconnect(admin) -> None:
    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'cognitive-layer' AND pid <> pg_backend_pid()"
    )


async def fuzz(doors: dict[str, Door], admin, chance: random.Random) -> Counter[str]:
    """Make random calls, and return how many answers of each door had the caller's words."""
    running, answered = asyncio.Semaphore(AT_ONCE), Counter[str]()

    async def one(number: int) -> None:
        user, door = chance.randrange(USERS // 4) * 4 + number % 4, chance.choice(list(doors))
        async with running:
            task = asyncio.create_task(doors[door](user, number % 3))
            if number % CANCELLED_EVERY == 0:
                await interrupted(task, chance.randrange(200))
            if number % DISCONNECTED_EVERY == 0:
                await disconnect(admin)
            with suppress(CognitiveError, asyncio.CancelledError):
                answer = repr(await task)
                assert not strangers(answer, user), (number, door)
                answered[door] += canary(user) in answer.lower()

    await asyncio.gather(*map(one, range(CALLS)))
    return answered


async def test_200_users_at_every_door_see_only_their_own_words(
    layer, doors, urls, agent, admin, spans, metrics, logged, tmp_path
):
    commanding = list(range(0, USERS, 40))
    async with forked(run_commands, urls.app, str(tmp_path), agent, commanding) as commands:
        answered = await fuzz(doors, admin, random.Random(5))
        printed = dict(await commands.receive_all())
    assert printed.keys() == set(commanding)
    for user, text in printed.items():
        assert text.count(canary(user)) >= 3, text
        assert not strangers(text, user)
    assert set(answered) == set(doors), "each door showed users their own words"
    await internals(layer).background.drain()
    for table in SCOPED:
        rows = f"SELECT user_id, t::text AS row FROM cognitive.{table} AS t WHERE agent_id = $1"
        for row in await admin.fetch(rows, agent):
            own = {canary(int(row["user_id"].removeprefix("guest-")))} if row["user_id"] else set()
            assert set(CANARY.findall(row["row"].lower())) <= own, table
    check_telemetry(spans, metrics, logged)


def check_telemetry(spans: InMemorySpanExporter, metrics: PrometheusMetrics, logged: list[str]) -> None:
    """Check that no span, metric or log record has a user's words, and that spans and metrics name no user."""
    traced = [span.to_json() for span in spans.get_finished_spans()]
    assert any("cognitive.pre_turn" in span for span in traced)
    measured = metrics.exposition()[0].decode()
    assert "cognitive_turns_prepared_total" in measured
    for text in (*traced, measured):
        assert not CANARY.search(text.lower())
        assert "guest-" not in text
    assert not [line for line in logged if CANARY.search(line.lower())]


@pytest.mark.parametrize("user", ["guest-001", None])
async def test_calls_of_a_user_leave_the_user_out_of_telemetry(layer, agent, spans, metrics, user):
    [id] = await layer.remember(agent, [NewMemory(type="fact", content=said(1, 1), user_id=user)])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION, user_id=user))
    await layer.post_turn(context, Outcome(response=said(1, 1)))
    await layer.recall(agent, QUESTION, user_id=user)
    await layer.update(agent, id, pinned=True, user_id=user)
    await layer.forget(agent, [id], user_id=user)
    if user is not None:
        await layer.forget_user(agent, user)
    check_telemetry(spans, metrics, [])
    attributes = {key for span in spans.get_finished_spans() for key in (span.attributes or {})}
    assert "gen_ai.agent.id" in attributes
    assert not {key for key in attributes if "user" in key}


def test_canary_of_another_user_is_noticed():
    assert strangers(json.dumps({"content": said(7, 1)}), 8) == {canary(7)}
    assert not strangers(said(7, 1), 7)
