"""The hooks in the real Claude Code and Codex over their life: installed, upgraded, killed and removed.

Claude Code comes from the PATH or from its SDK's wheel, and Codex from the PATH, where npm installs them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import platformdirs
import pytest

from cognitive.hook.project import find_project
from tests.acceptance.coding_agents import ANSWER, Model, claude_code, codex
from tests.integration.test_hook_daemon import OLD

AGREED = "We agreed that releases are cut on the second Tuesday of each month by Farid."
USER = "ada@example.com"
SETTINGS = '{\n    "description":   "mine"\n}\n'  # oddly spaced


@pytest.fixture(params=[claude_code, codex])
def coding_agent(request):
    found = request.param()
    if found is None:
        pytest.skip(f"{request.param.__name__} is not installed")
    return found


@pytest.fixture
def home(tmp_path):
    program = tmp_path / "bin" / "cognitive"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom cognitive.cli.entry import main\nmain()\n")
    program.chmod(0o755)
    return tmp_path


@pytest.fixture
def shop(home):
    """Return the folder of a repository with one commit."""
    folder = home / "shop"
    folder.mkdir()
    (folder / "note.txt").write_text(uuid4().hex)
    (home / ".gitconfig").write_text(f"[user]\nname = Ada\nemail = {USER}\n")
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", f"user.email={USER}"]
    for arguments in (["init"], ["add", "."], ["commit", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    return folder


@pytest.fixture
def environment(urls, root, home, shop, coding_agent):
    policy = home / "policy.toml"
    policy.write_text("deadline_ms = 30000")  # a busy machine must not cause a timeout
    model = Model()
    env = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home),
        "PYTHONPATH": str(root),
        "COGNITIVE_DATABASE_URL": urls.app,
        "COGNITIVE_DATA_DIR": str(home / "data"),
        "COGNITIVE_POLICY": str(policy),
        "COGNITIVE_CACHE_DIR": os.environ.get("COGNITIVE_CACHE_DIR") or platformdirs.user_cache_dir("cognitive-layer"),
        **coding_agent.environment(home, model),
    }
    env["model"] = model
    yield env
    hook(env, "server", "stop")
    model.server_close()


def hook(env, *arguments):
    command = ["cognitive", "hook", *arguments]
    return subprocess.run(
        command, env=variables(env), cwd=env["HOME"], capture_output=True, check=False
    ).stdout.decode()


def variables(env):
    return {name: value for name, value in env.items() if name != "model"}


def install(env, coding_agent, *options):
    assert "Written" in hook(env, "install", "--yes", "--capture", "exchange", *coding_agent.options, *options)


def say(coding_agent, env, shop, prompt, **more):
    coding_agent.say({**variables(env), **more}, shop, prompt)


@contextmanager
def old_server(env, home):
    """Run a server of an earlier version."""
    with subprocess.Popen([sys.executable, "-c", OLD], env=variables(env), stdin=subprocess.DEVNULL) as old:
        try:
            while not (home / "data/hook/server.sock").exists():
                assert old.poll() is None
            yield old
        finally:
            old.kill()


async def captured(layer, env, shop, user_id=None):
    """Return the prompts that a user sees, in order, after the server has handled all events.

    Without a user, they are those that everyone in the repository sees.
    """
    hook(env, "server", "start")
    hook(env, "server", "stop")
    memories = await layer.admin.find(find_project(str(shop)).agent, {"tags": {"in": ["captured"]}}, user_id=user_id)
    return [memory.content for memory in memories if memory.speaker == USER]


async def test_first_prompt_is_learnt_and_shown_to_a_later_one(layer, coding_agent, environment, shop):
    install(environment, coding_agent)
    say(coding_agent, environment, shop, AGREED)  # before any server runs
    assert await captured(layer, environment, shop) == [AGREED]
    hook(environment, "server", "start")
    say(coding_agent, environment, shop, "When are releases cut, and by whom?", COGNITIVE_HOOK_WAIT="30")
    assert AGREED in json.dumps(environment["model"].requests[-1])
    agent = find_project(str(shop)).agent
    answers = await layer.admin.find(agent, {"speaker": {"eq": "assistant"}})
    assert answers[0].content == ANSWER


async def test_private_installation_keeps_prompts_to_the_git_user(layer, coding_agent, environment, shop):
    install(environment, coding_agent, "--private")
    say(coding_agent, environment, shop, AGREED)
    assert await captured(layer, environment, shop) == []
    assert await captured(layer, environment, shop, USER) == [AGREED]


async def test_concurrent_sessions_share_a_server_and_lose_nothing(layer, coding_agent, environment, home, shop):
    install(environment, coding_agent)
    prompts = [
        f"The {name} service is owned by team {number} in Ghent."
        for number, name in enumerate(("billing", "orders", "stock"))
    ]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda prompt: say(coding_agent, environment, shop, prompt), prompts))
    hook(environment, "server", "start")
    assert (home / "data/hook/server.log").read_text().count(" listens") == 1
    assert sorted(await captured(layer, environment, shop)) == sorted(prompts)


async def test_killed_server_loses_no_turn(layer, coding_agent, environment, shop):
    install(environment, coding_agent)
    hook(environment, "server", "start")
    say(coding_agent, environment, shop, AGREED)
    server = json.loads(hook(environment, "status", "--json"))["server"]
    os.kill(server["pid"], signal.SIGKILL)
    second = "The invoices are printed on Fridays by Bruno in Ghent."
    say(coding_agent, environment, shop, second)
    assert await captured(layer, environment, shop) == [AGREED, second]


async def test_upgrade_replaces_hooks_and_server_and_uninstall_restores(layer, coding_agent, environment, home, shop):
    file = home / coding_agent.settings
    file.parent.mkdir(exist_ok=True)
    file.write_text(SETTINGS)
    install(environment, coding_agent)
    installed = file.read_text()
    file.write_text(re.sub(r'"[^"]*cognitive hook', '"/old/bin/cognitive hook', installed))  # by an earlier version
    assert "Problem" in hook(environment, "status")
    hook(environment, "install", "--yes", *coding_agent.options)
    assert file.read_text() == installed
    with old_server(environment, home) as old:
        say(coding_agent, environment, shop, AGREED)
        assert old.wait(timeout=60) == 0, "the server of the earlier version has ended"
    assert await captured(layer, environment, shop) == [AGREED]
    hook(environment, "uninstall", "--yes", *coding_agent.options)
    assert file.read_text() == SETTINGS
    say(coding_agent, environment, shop, "This is said without hooks by Ada in Ghent.")
    assert await captured(layer, environment, shop) == [AGREED]
