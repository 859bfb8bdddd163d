"""The hooks' server of a data directory: one for all environments, with the choice made at the installation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from uuid import uuid4

import pytest

from cognitive.hook.learning import Choice, Learning, with_learning
from cognitive.hook.missed import MAX_FILES, keep, take
from cognitive.hook.paths import DaemonPaths, with_private_folders
from cognitive.hook.protocol import VERSION, Call
from cognitive.policy import Policy

AGREED = "We agreed that releases are cut on the second Tuesday of each month by Farid."
NOTED = "Noted: Farid cuts releases on the second Tuesday of each month."


@pytest.fixture
def environment(urls, root, tmp_path, agent):
    env = {**os.environ, "PYTHONPATH": str(root), "HOME": str(tmp_path), "COGNITIVE_DATABASE_URL": urls.app}
    env |= {"COGNITIVE_DATA_DIR": str(tmp_path / "data"), "COGNITIVE_AGENT": agent, "COGNITIVE_HOOK_WAIT": "0"}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "CODEX_HOME": str(tmp_path / "codex")}
    yield env
    run(env, "server", "stop")


def run(env, *arguments, payload=b""):
    command = [sys.executable, "-m", "cognitive.cli.entry", "hook", *arguments]
    return subprocess.run(command, env=env, input=payload, capture_output=True, check=False, cwd="/")


def status(env):
    return json.loads(run(env, "status", "--json").stdout)


def transcript(folder):
    file = folder / "t.jsonl"
    lines = [
        {"type": "user", "promptId": "p1", "message": {"role": "user", "content": AGREED}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": NOTED}]}},
    ]
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return {"session_id": uuid4().hex, "prompt_id": "p1", "transcript_path": str(file), "cwd": "/"}


async def test_first_prompt_after_a_pause_is_captured(environment, layer, agent, tmp_path):
    assert run(environment, "install", "--yes", "--capture", "exchange").returncode == 0
    event = transcript(tmp_path)
    prompt = {**event, "prompt": AGREED}
    assert run(environment, "user-prompt-submit", payload=json.dumps(prompt).encode()).stdout == b"{}\n"
    stop = {**event, "last_assistant_message": NOTED}  # before the server is ready
    assert run(environment, "stop", payload=json.dumps(stop).encode()).stdout == b"{}\n"
    assert run(environment, "server", "start").returncode == 0
    assert run(environment, "server", "stop").returncode == 0
    memories = await layer.admin.find(agent, {"tags": {"in": ["captured"]}})
    assert [memory.content for memory in memories] == [AGREED, NOTED]
    assert not list((tmp_path / "data" / "hook" / "missed").iterdir())


def test_all_environments_share_one_server(environment, tmp_path):
    run(environment, "server", "start")
    pid = status(environment)["server"]["pid"]
    (tmp_path / "policy.toml").write_text('capture = "user"')
    plain = {**environment, "COGNITIVE_POLICY": str(tmp_path / "policy.toml"), "COGNITIVE_POOL_SIZE": "3"}
    del plain["COGNITIVE_DATABASE_URL"]
    assert status(plain)["server"]["pid"] == pid
    assert status(plain)["learns"] == {"capture": "off", "capture_scope": "user", "origin": "default"}
    assert b"is stopped" in run(plain, "server", "stop").stdout
    assert status(environment)["server"]["state"] == "stopped"


def test_hook_with_another_database_gets_no_answer(environment, tmp_path):
    run(environment, "server", "start")
    other = {**environment, "COGNITIVE_DATABASE_URL": "postgresql://nowhere.invalid/x", "COGNITIVE_HOOK_WAIT": "20"}
    event = {**transcript(tmp_path), "prompt": AGREED}
    assert run(other, "user-prompt-submit", payload=json.dumps(event).encode()).stdout == b"{}\n"
    assert status(environment)["server"]["sessions"] == 0
    assert any("another database" in problem for problem in status(other)["problems"])


def test_status_lists_and_stop_ends_servers_of_earlier_versions(environment, tmp_path):
    paths = with_private_folders(DaemonPaths(str(tmp_path / "data" / "hook"), "0a1b2c3d"))
    program = (
        "import fcntl, os, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX);"
        "f.write(str(os.getpid())); f.flush(); print('locked', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, paths.lock], stdout=subprocess.PIPE) as old:
        assert old.stdout.readline() == b"locked\n"
        assert status(environment)["other_servers"] == [{"pid": old.pid, "lock": paths.lock}]
        run(environment, "server", "stop")
        assert old.wait(timeout=30) == -15
    assert status(environment)["other_servers"] == []


def test_new_choice_stops_the_server_that_has_the_old_one(environment):
    run(environment, "server", "start")
    run(environment, "install", "--yes", "--capture", "user")
    assert status(environment)["server"]["state"] == "stopped"
    run(environment, "server", "start")
    assert status(environment)["learns"]["capture"] == "user"


# --- parts ---


def test_choice_for_an_agent_takes_precedence():
    policy = Policy(capture="user", agents={"a": {"deadline_ms": 300.0}, "b": {"capture": "off"}})
    chosen = Learning(capture="exchange", capture_scope="agent")
    chosen = chosen.with_choice(Choice(capture="off", capture_scope="user"), "a")
    learnt = with_learning(policy, chosen)
    assert [learnt.for_agent(name).capture for name in "abc"] == ["off", "off", "exchange"]
    assert [learnt.for_agent(name).capture_scope for name in "abc"] == ["user", "agent", "agent"]
    assert learnt.for_agent("a").deadline_ms == 300.0
    assert with_learning(policy, Learning()) == policy


def test_kept_ends_of_turns_are_bounded_and_hold_no_answer(tmp_path):
    paths = with_private_folders(DaemonPaths(str(tmp_path / "hook"), "x"))
    for number in range(MAX_FILES + 3):
        event = {"session_id": str(number), "last_assistant_message": NOTED}
        keep(paths, Call(VERSION, "stop", "a", "", json.dumps(event).encode(), "0a1b"))
        keep(paths, Call(VERSION, "user-prompt-submit", "a", "", json.dumps(event).encode()))
    calls = list(take(paths))
    assert [json.loads(call.payload) for call in calls] == [{"session_id": str(n)} for n in range(3, MAX_FILES + 3)]
    assert {(call.agent, call.database) for call in calls} == {("a", "0a1b")}
    assert list(take(paths)) == []
