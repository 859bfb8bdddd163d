"""The hook daemon on its real socket, and the processes that call it."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from brain.settings import Settings
from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Policy
from cognitive.hook.client import ask
from cognitive.hook.daemon import Daemon, with_journaled_placement
from cognitive.hook.paths import MAX_ADDRESS_LENGTH, DaemonPaths, daemon_paths, data_directory, with_private_folders
from cognitive.hook.protocol import ANSWER, OUTDATED, STATUS, STOP, VERSION, Call, decode, encode
from cognitive.hook.start import locked

HEAVY = [
    "numpy",
    "pydantic",
    "sqlalchemy",
    "asyncpg",
    "click",
    "onnxruntime",
    "asyncio",
    "typing",
    "subprocess",
    "socket",
]
PROMPT = {"session_id": "s", "prompt_id": "p1", "prompt": "Which database does the orders service use?", "cwd": "/"}


@pytest.fixture(autouse=True)
def no_git_user(monkeypatch):
    """Run Git without the settings of this machine, so that turns have no user."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(
        urls.app, policy=with_journaled_placement(Policy(deadline_ms=30_000)), embedder=embedder
    ) as layer:
        yield layer


@pytest.fixture
def paths(tmp_path):
    return with_private_folders(DaemonPaths(str(tmp_path / "hook"), "test"))


@asynccontextmanager
async def serving(layer, paths, **options):
    """Run a daemon on its socket until the end of the block; yield its task."""
    resident = Daemon(layer, paths, **options)
    task = asyncio.create_task(resident.serve())
    await resident.ready.wait()
    yield task
    resident.stop()
    await task


async def call_daemon(paths, *call):
    return await asyncio.to_thread(ask, paths, Call(*call), patience=30)


async def test_daemon_answers_a_prompt_with_memories(layer, paths, agent):
    await layer.remember(agent, [NewMemory(type="fact", content="The orders service keeps its data in Postgres.")])
    async with serving(layer, paths):
        assert stat.S_IMODE(os.stat(paths.socket).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(paths.folder).st_mode) == 0o700
        answer = await call_daemon(paths, VERSION, "user-prompt-submit", agent, "", json.dumps(PROMPT).encode())
        output = json.loads(answer.removeprefix(ANSWER))["hookSpecificOutput"]
        assert output["hookEventName"] == "UserPromptSubmit"
        assert "keeps its data in Postgres" in output["additionalContext"]
        status = json.loads((await call_daemon(paths, VERSION, STATUS)).removeprefix(ANSWER))
        assert (status["sessions"], status["pid"]) == (1, os.getpid())
    assert await call_daemon(paths, VERSION, STATUS) is None


async def test_malformed_calls_get_an_empty_answer(layer, paths, agent):
    async with serving(layer, paths):
        for payload in (b"", b"{", b"[1]", b'{"session_id": "s", "prompt": 7}', b"\xff\xfe", b"[" * 100_000):
            assert await call_daemon(paths, VERSION, "user-prompt-submit", agent, "", payload) == ANSWER + b"{}"
        reader, writer = await asyncio.open_unix_connection(paths.socket)
        writer.write(b"no fields")
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        assert await call_daemon(paths, VERSION, STATUS) is not None


async def test_hook_of_another_version_stops_the_daemon(layer, paths):
    async with serving(layer, paths) as task:
        assert await call_daemon(paths, "0.0.1", "stop", "", "", b"{}") == OUTDATED
        await task
    assert await call_daemon(paths, VERSION, STATUS) is None


async def test_daemon_stops_when_idle_and_on_request(layer, paths):
    async with serving(layer, paths, idle_seconds=0.05) as task:
        await task
    assert await call_daemon(paths, VERSION, STATUS) is None
    async with serving(layer, paths) as task:
        assert await call_daemon(paths, VERSION, STOP) is not None
        await task
    assert await call_daemon(paths, VERSION, STATUS) is None


async def test_daemon_that_lost_its_socket_stops_without_removing_the_new_one(layer, paths):
    async with serving(layer, paths, check_seconds=0.01) as lost:
        os.unlink(paths.socket)
        async with serving(layer, paths):
            await lost
            assert await call_daemon(paths, VERSION, STATUS) is not None


async def test_daemon_stops_when_its_directory_is_removed(layer, paths):
    async with serving(layer, paths, check_seconds=0.01) as lost:
        shutil.rmtree(paths.folder)
        with_private_folders(paths)  # the next hook creates the directory again
        await lost
        async with serving(layer, paths):
            assert await call_daemon(paths, VERSION, STATUS) is not None


async def test_second_daemon_stops_while_the_first_answers(layer, paths):
    async with serving(layer, paths):
        await Daemon(layer, paths).serve()
        assert await call_daemon(paths, VERSION, STATUS) is not None


async def test_turn_of_a_disconnected_hook_is_abandoned(layer, paths, agent):
    async with serving(layer, paths):
        _, writer = await asyncio.open_unix_connection(paths.socket)
        call = Call(VERSION, "user-prompt-submit", agent, "", json.dumps(PROMPT).encode())
        writer.write(encode(call))
        writer.write_eof()
        await writer.drain()
        writer.transport.abort()
        assert await call_daemon(paths, VERSION, STATUS) is not None, "the earlier connection is accepted by now"
    assert [turn.status for turn in await layer.explain.turns(agent, user_id=ALL_USERS)] == ["abandoned"]


async def test_pending_outcomes_are_recorded_before_the_daemon_stops(layer, paths, agent):
    async with serving(layer, paths):
        await call_daemon(paths, VERSION, "user-prompt-submit", agent, "", json.dumps(PROMPT).encode())
        stop = {**PROMPT, "last_assistant_message": "Postgres."}
        await call_daemon(paths, VERSION, "stop", agent, "", json.dumps(stop).encode())
    assert [turn.status for turn in await layer.explain.turns(agent, user_id=ALL_USERS)] == ["completed"]


# --- processes ---


@pytest.fixture(scope="module")
async def environment(urls, root, layer, tmp_path_factory):
    data, agent = tmp_path_factory.mktemp("data"), f"daemon-{uuid4().hex[:12]}"
    await layer.remember(agent, [NewMemory(type="fact", content="Orders live in Postgres.", pinned=True)])
    env = {**os.environ, "PYTHONPATH": str(root), "COGNITIVE_DATA_DIR": str(data), "COGNITIVE_DATABASE_URL": urls.app}
    env["COGNITIVE_AGENT"] = agent
    yield {**env, "COGNITIVE_HOOK_WAIT": "0", "CLAUDE_CONFIG_DIR": str(data / "c"), "CODEX_HOME": str(data / "x")}
    run(env, "server", "stop")


def run(env, *arguments, payload=b""):
    command = [sys.executable, "-W", "error", "-m", "cognitive.cli.entry", "hook", *arguments]
    return subprocess.run(command, env=env, input=payload, capture_output=True, check=False, cwd="/")


def prompt(env, **fields):
    return run(env, "user-prompt-submit", payload=json.dumps({**PROMPT, **fields}).encode())


def log_of(env):
    return "".join(file.read_text() for file in Path(env["COGNITIVE_DATA_DIR"]).glob("hook/*.log"))


def test_concurrent_hooks_start_one_daemon_without_waiting(environment):
    with ThreadPoolExecutor(10) as pool:
        ran = list(pool.map(lambda n: prompt(environment, session_id=f"s{n}"), range(10)))
    assert {(each.returncode, each.stdout, each.stderr) for each in ran} == {(0, b"{}\n", b"")}
    assert run(environment, "server", "start").returncode == 0
    assert log_of(environment).count("listens") == 1
    answer = json.loads(prompt(environment, prompt_id="warm").stdout)
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"


def test_hook_process_imports_no_heavy_modules(environment):
    assert run(environment, "server", "start").returncode == 0
    program = (
        "import sys, cognitive.cli.entry; from cognitive.hook.client import main; main(['session-start'])\n"
        f"print(*[n for n in {HEAVY!r} if n in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, env=environment, input=b'{"session_id": "m"}', capture_output=True, check=True)
    assert (ran.stdout, ran.stderr.split()) == (b"{}\n", [])
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys, cognitive; print(*[n for n in {HEAVY!r} if n in sys.modules])"],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert ran.stdout.split() == []


def test_daemon_restarts_after_a_kill(environment):
    run(environment, "server", "start")
    pid = json.loads(run(environment, "status", "--json").stdout)["server"]["pid"]
    os.kill(pid, 9)
    while b'"state": "stopped"' not in run(environment, "status", "--json").stdout:
        pass
    assert run(environment, "server", "start").returncode == 0
    assert b"The server is stopped" in run(environment, "server", "stop").stdout
    assert run(environment, "server", "stop").returncode == 0


OLD = """
import sys
import cognitive.hook.protocol
cognitive.hook.protocol.VERSION = "0.0.1"
from cognitive.hook.paths import daemon_paths, with_private_folders
from cognitive.hook.start import locked
from cognitive.hook.daemon import main
sys.argv[1:] = [str(locked(with_private_folders(daemon_paths()).lock))]
main()
"""


def test_daemon_of_another_version_is_replaced(environment):
    run(environment, "server", "stop")
    with subprocess.Popen([sys.executable, "-c", OLD], env=environment, stdin=subprocess.DEVNULL) as old:
        while "version 0.0.1 listens" not in log_of(environment):
            assert old.poll() is None
            time.sleep(0.02)
        answer = prompt({**environment, "COGNITIVE_HOOK_WAIT": "60"}, prompt_id="new")
    assert b"additionalContext" in answer.stdout
    assert json.loads(run(environment, "status", "--json").stdout)["server"]["version"] == VERSION


@pytest.mark.parametrize(
    ("arguments", "fields", "payload"),
    [
        (["stop"], {}, b"\xff" * 100),
        (["stop"], {"COGNITIVE_HOOK_WAIT": "soon"}, b"{}"),
        (["stop"], {"COGNITIVE_DATA_DIR": "/dev/null"}, b"{}"),
        (["user-prompt-submit", "--agent"], {}, b"{}"),
    ],
)
def test_hook_failures_return_an_empty_answer(environment, arguments, fields, payload):
    ran = run({**environment, **fields}, *arguments, payload=payload)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"{}\n", b"")


def test_failed_daemon_start_is_attempted_once_and_reported(environment, tmp_path):
    broken = {**environment, "COGNITIVE_POLICY": str(tmp_path / "none.toml"), "COGNITIVE_DATA_DIR": str(tmp_path)}
    assert b"does not start" in run(broken, "server", "start").stderr
    assert prompt(broken).stdout == b"{}\n"
    status = run(broken, "status")
    assert (status.returncode, b"cannot start: PolicyError" in status.stdout) == (1, True)
    assert log_of(broken).count("cannot start") == 1
    assert run(broken, "server", "stop").returncode == 0


# --- files and directories ---


def test_directory_accessible_to_other_users_is_refused(tmp_path):
    paths = DaemonPaths(str(tmp_path / "open"), "x")
    Path(paths.folder).mkdir(mode=0o755)
    with pytest.raises(PermissionError, match="chmod 700"):
        with_private_folders(paths)
    Path(tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(PermissionError):
        with_private_folders(DaemonPaths(str(tmp_path / "link"), "x"))


def test_lock_on_a_removed_file_is_not_acquired(paths, monkeypatch):
    flock = fcntl.flock

    def meanwhile(lock, how):
        os.unlink(paths.lock)
        flock(lock, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    assert locked(paths.lock) is None
    monkeypatch.undo()
    assert locked(paths.lock) is not None


def test_lock_has_one_holder(paths):
    lock = locked(paths.lock)
    assert locked(paths.lock) is None
    os.close(lock)
    os.close(locked(paths.lock))


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"COGNITIVE_DATA_DIR": "~/x/../y"},
        {"COGNITIVE_DATA_DIR": ""},
        {"XDG_DATA_HOME": "/xdg"},
        {"XDG_DATA_HOME": " "},
    ],
)
def test_hook_and_settings_agree_on_the_data_directory(monkeypatch, user, fields):
    for name in ("COGNITIVE_DATA_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in fields.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert data_directory() == str(Settings().directory)


def test_long_data_directory_gets_a_short_socket_path(monkeypatch, tmp_path):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / ("x" * 120)))
    there = daemon_paths()
    assert len(os.fsencode(there.socket)) <= MAX_ADDRESS_LENGTH
    assert there.log.startswith(os.environ["COGNITIVE_DATA_DIR"])
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / ("y" * 120)))
    assert os.path.dirname(daemon_paths().socket) != os.path.dirname(there.socket)


def test_call_survives_encoding_and_decoding():
    call = Call("1", "stop", "Ada's\nagent", "/tmp/\udcff", b"\0{}\0\n", "0a1b")
    read = decode(encode(call))
    assert [getattr(read, name) for name in Call.__slots__] == [getattr(call, name) for name in Call.__slots__]


def test_hook_protocol_version_is_the_package_version(root):
    assert tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"] == VERSION
