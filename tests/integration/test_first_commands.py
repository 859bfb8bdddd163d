"""Mistakes that newcomers make on the command line: each answer says how to go on."""

from __future__ import annotations

import asyncio
import json
import shlex
from uuid import UUID

import pytest
from click.testing import CliRunner, Result

from cognitive import CognitiveLayer, NewMemory, Outcome, Turn
from cognitive.cli.answers import NO
from cognitive.cli.main import cli


@pytest.fixture(scope="module")
def environment(urls, tmp_path_factory) -> dict[str, str]:
    data = tmp_path_factory.mktemp("data")
    return {"COGNITIVE_DATABASE_URL": urls.app, "COGNITIVE_DATA_DIR": str(data)}


@pytest.fixture
def run(environment):
    def run(*words: str, columns: int = 200) -> Result:
        return CliRunner().invoke(cli, words, env=environment | {"COLUMNS": str(columns)}, prog_name="cognitive")

    return run


def store(url: str, agent: str, *memories: NewMemory, turn: Turn | None = None) -> None:
    async def work() -> None:
        async with CognitiveLayer.open(url) as layer:
            await layer.remember(agent, memories)
            if turn is not None:
                await layer.post_turn(await layer.pre_turn(turn), Outcome(response="In the shed."))

    asyncio.run(work())


def fact(content: str, user: str | None = None) -> NewMemory:
    return NewMemory(type="fact", content=content, user_id=user)


def test_advice_for_an_unknown_turn_works_when_typed(run, urls, agent):
    named = f"{agent} of Ann's"
    shared = Turn(agent_id=named, session_id="s", text="Where does the kettle leak?", turn_id="t")
    store(urls.app, named, fact("The kettle leaks at the lid.", "ann"), turn=shared)
    refused = run("why", "t", "--agent", named, "--user", "ann")
    assert "none for a turn without a user" in refused.stderr
    advised = shlex.split(refused.stderr.partition("Next: `")[2].partition("`")[0])
    listed = run(*advised[1:], "--json")
    assert (listed.exit_code, json.loads(listed.stdout)["turns"][0]["user_id"]) == (0, None)
    assert run("why", "t", "--agent", named).exit_code in (0, NO)


def test_narrow_terminal_shows_a_memory_on_one_line_and_its_id_below(run, urls, agent):
    told = "The kettle of the boat house leaks at the lid."
    store(urls.app, agent, fact(told))
    hit, below = run("recall", "where does the kettle leak", "--agent", agent, columns=80).stdout.splitlines()[1:3]
    assert told in hit
    assert str(UUID(below.strip())) in run("recall", "where does the kettle leak", "--agent", agent).stdout


def test_empty_list_names_the_option_for_memories_of_users(run, urls, agent):
    assert "--all-users" not in run("memory", "list", "--agent", agent).stderr
    store(urls.app, agent, fact("The bike is red.", "ann"))
    result = run("memory", "list", "--agent", agent)
    assert (result.exit_code, result.stdout) == (NO, "")
    assert "1 user has memories: add --all-users, or --user NAME" in result.stderr
    assert "no such shared memory" in result.stderr


def test_list_of_no_turns_names_the_option_for_turns_of_users(run, urls, agent):
    assert "this agent has no turns of users either" in run("why", "--agent", agent).stderr
    store(urls.app, agent, turn=Turn(agent_id=agent, session_id="s", text="Where is the bike?", user_id="ann"))
    result = run("why", "--agent", agent)
    assert (result.exit_code, result.stdout) == (NO, "")
    assert "add --all-users, or --user NAME" in result.stderr
    assert "no turns without a user" in result.stderr
    assert "--all-users" not in run("why", "--agent", agent, "--session", "none").stderr


@pytest.mark.parametrize(
    ("words", "rows", "code"),
    [
        (("recall", "bike"), "memories: add --all-users, or --user NAME", NO),
        (("session", "list"), "sessions: add --all-users, or --user NAME", NO),
        (("replay",), "turns: add --all-users, or --user NAME", NO),
        (("evaluate",), "turns: add --all-users, or --user NAME", 1),
    ],
)
def test_command_that_finds_nothing_names_the_option_for_users(run, urls, agent, words, rows, code):
    empty = run(*words, "--agent", agent)
    assert (empty.exit_code, "add --" in empty.stderr) == (code, False)
    turn = Turn(agent_id=agent, session_id="s", text="Where is the bike?", user_id="ann")
    store(urls.app, agent, fact("The bike is red.", "ann"), turn=turn)
    result = run(*words, "--agent", agent)
    assert (result.exit_code, f"1 user has {rows}" in result.stderr) == (code, True), result.stderr
    assert "1 user has" not in run(*words, "--agent", agent, "--user", "bob").stderr


def test_turns_of_all_users_are_evaluated_and_replayed_together(run, urls, agent):
    for user in (None, "ann", "bob"):
        turn = Turn(agent_id=agent, session_id="s", text="Where is the bike?", turn_id="t", user_id=user)
        store(urls.app, agent, fact("The bike is in the shed."), turn=turn)
    replayed = run("replay", "--agent", agent, "--all-users")
    assert (replayed.exit_code, "3 identical" in replayed.stdout) == (0, True), replayed.output
    evaluated = run("evaluate", "--agent", agent, "--all-users", "--json")
    assert json.loads(evaluated.stdout)["evaluation"]["turns"] == 3
    tuned = run("tune", "--agent", agent, "--all-users", "--out", "never.toml", "--json")
    assert json.loads(tuned.stdout)["training"] == 2
    assert "1 of 1 turns" in run("evaluate", "--agent", agent, "--user", "ann").stderr
    refused = run("replay", "t", "--agent", agent, "--all-users")
    assert (refused.exit_code, "unique per user only" in refused.stderr) == (2, True)


def test_lists_of_all_users_name_each_row_s_user(run, urls, agent):
    for user in ("ann", "bob"):
        turn = Turn(agent_id=agent, session_id="s", text="Where is the bike?", user_id=user)
        store(urls.app, agent, fact(f"The bike is red, {user} says.", user), turn=turn)
    sessions = run("session", "list", "--agent", agent, "--all-users").stdout.splitlines()
    assert sorted(line.split()[1] for line in sessions[1:]) == ["ann", "bob"]
    found = run("recall", "bike", "--agent", agent, "--all-users").stdout
    assert ("(of ann)" in found, "(of bob)" in found) == (True, True)


def test_why_does_not_call_the_memory_of_another_user_erased(run, urls, agent):
    store(urls.app, agent, turn=Turn(agent_id=agent, session_id="s", text="Where is it?", user_id="ann", turn_id="t"))
    bobs = json.loads(run("remember", "The bike is red.", "--agent", agent, "--user", "bob", "--json").stdout)["ids"][0]
    result = run("why", "t", bobs, "--agent", agent, "--user", "ann")
    assert (result.exit_code, "it is another user's, was erased, or never was one" in result.stdout) == (0, True)


def test_config_without_an_agent_shows_the_settings_of_all(run):
    shown = json.loads(run("config", "--json").stdout)
    assert "COGNITIVE_DATABASE_URL" in {each["name"] for each in shown["settings"]}
    assert "deadline_ms" in {each["name"] for each in shown["policy"]}
    assert shown["stored"]["error"] is None


def test_missing_agent_names_the_variable(run):
    result = run("recall", "kettle")
    assert (result.exit_code, "COGNITIVE_AGENT in the environment" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("memory", "get"), "Did you mean show?"),
        (("memory", "delete"), "Did you mean forget?"),
        (("memroy", "show"), "Did you mean memory"),
        (("session", "zzz"), "The commands are end, list, show."),
    ],
)
def test_unknown_command_suggests_others(run, words, hint):
    result = run(*words)
    assert (result.exit_code, hint in result.stderr) == (2, True), result.stderr
    as_json = json.loads(run(*words, "--json").stderr)["error"]
    assert hint in as_json["message"]


@pytest.mark.parametrize("options", [(), ("--markdown",)])
def test_export_overwrites_no_file(run, agent, tmp_path, options):
    file = tmp_path / "notes.md"
    file.write_text("My notes.", encoding="utf-8")
    result = run("db", "export", str(file), "--agent", agent, *options)
    assert (result.exit_code, "exists already" in result.stderr) == (2, True)
    assert file.read_text(encoding="utf-8") == "My notes."


def test_failed_export_leaves_no_file(run, agent, tmp_path):
    file = tmp_path / "notes.jsonl"
    assert run("db", "export", str(file), "--agent", agent, "--user", "").exit_code == 1
    assert not file.exists()


def test_import_of_markdown_says_that_it_cannot_be_imported(run, urls, agent, tmp_path):
    file = tmp_path / "memories.md"
    store(urls.app, agent, fact("The bike is red."))
    assert run("db", "export", str(file), "--agent", agent, "--markdown").exit_code == 0
    result = run("db", "import", str(file), "--agent", agent)
    assert (result.exit_code, "Markdown cannot be imported" in result.stderr) == (1, True)


@pytest.mark.parametrize("text", ["nojson", "3"])
def test_invalid_metadata_names_its_option(run, agent, text):
    result = run("remember", "The bike is red.", "--agent", agent, "--metadata", text)
    assert (result.exit_code, "--metadata" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('[{"type": "fact", "content": "The bike is red."}]', "expected one JSON object per line"),
        ("The bike is red.", "expected one JSON object per line"),
        ('{"content": "The bike is red."}', "NewMemory: type: Field required"),
        (
            '{"type": "fact", "content": "x", "memory": "The bike is red."}',
            "; `cognitive db import` reads files of other",
        ),
        ('{"type": "fact", "content": "x", "user_id": "bob"}', "user_id: 'bob' is not the user of --user"),
    ],
)
def test_invalid_line_of_memories_is_named(run, agent, tmp_path, line, message):
    file = tmp_path / "memories.jsonl"
    file.write_text(f'{{"type": "fact", "content": "x"}}\n\n{line}\n', encoding="utf-8")
    result = run("remember", "--file", str(file), "--agent", agent, "--user", "ann")
    assert (result.exit_code, f"{str(file)!r}, line 3: " in result.stderr, message in result.stderr) == (1, True, True)


def test_activation_names_the_policy_that_is_live(run, agent):
    saved = run("policy", "save", "--set", "usage.half_life_days=3", "--agent", agent, "--json")
    version = json.loads(saved.stdout)["candidate"]["version"]
    assert run("policy", "activate", version, "--agent", agent).stdout.startswith(f"live: {version}\n")
    for live in ("the host's policy", version):
        assert run("policy", "activate", "--previous", "--agent", agent).stdout.startswith(f"live: {live}\n")


def test_settings_that_no_one_changed_are_all_at_default(run):
    assert "all settings at default; --all lists all" in run("config").stdout


def test_server_without_tokens_advises_the_command_that_creates_one(run):
    result = run("serve", "--host", "0.0.0.0", "--port", "0")
    assert ("cognitive token create" in result.stderr, "Next:" in result.stderr) == (True, False)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"Hello there.", "not JSON"), (b"\xff\xfe", "is not UTF-8"), (b'["hello"]', "expected a list of messages")],
)
def test_unreadable_conversation_is_named(run, agent, tmp_path, content, message):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(content)
    result = run("memory", "conversation", str(file), "--agent", agent)
    assert (result.exit_code, "InvalidInput: " in result.stderr, message in result.stderr) == (1, True, True)


def test_file_of_memories_that_is_no_text_is_named(run, agent, tmp_path):
    file = tmp_path / "memories.jsonl"
    file.write_bytes(b"\xff\xfe")
    result = run("remember", "--file", str(file), "--agent", agent)
    assert (result.exit_code, f"{str(file)!r} is not UTF-8" in result.stderr) == (1, True)


def test_memory_in_a_file_may_have_any_line_separator_in_its_text(run, agent, tmp_path):
    file = tmp_path / "memories.jsonl"
    file.write_text('{"type": "fact", "content": "The bike\u2028is red."}\r\n', encoding="utf-8", newline="")
    assert run("remember", "--file", str(file), "--agent", agent).exit_code == 0
    [stored] = json.loads(run("memory", "list", "--agent", agent, "--json").stdout)["memories"]
    assert stored["content"] == "The bike\u2028is red."
