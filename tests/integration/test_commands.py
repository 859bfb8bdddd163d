"""The command line: every command once, its JSON output and its exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from uuid import UUID, uuid4

import click
import pytest
from click.testing import CliRunner, Result
from shapes import misfit

from cognitive import CognitiveLayer, Message, Outcome, ToolCall, Turn
from cognitive.cli.answers import CODES, NO, JsonCommand, advice
from cognitive.cli.main import cli
from cognitive.errors import SchemaError
from cognitive.turn import Shown

PAYMENTS = "Payments stay with Stripe."
STRIPE = "Payments stay with Stripe: the offer from Adyen would save too little."
LOG = "".join(f"step {n} went through\n" for n in range(4_000)) + "ERROR: the lock is held by pid 812\n"


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    found: dict[tuple[str, ...], click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found |= leaves(command, (*path, name)) if isinstance(command, click.Group) else {(*path, name): command}
    return found


LEAVES = leaves(cli)
WITH_TESTS_OF_THEIR_OWN = {"bench", "dashboard", "demo", "hook", "mcp", "policy", "serve"}
SPEAKING_A_PROTOCOL = {"dashboard", "hook", "mcp", "serve"}  # they print no JSON result


@pytest.fixture(scope="module")
def environment(urls, tmp_path_factory) -> dict[str, str]:
    data = tmp_path_factory.mktemp("data")
    (data / "patient.toml").write_text("deadline_ms = 5000\n", encoding="utf-8")  # the machine may be busy
    return {
        "COGNITIVE_DATABASE_URL": urls.app,
        "COGNITIVE_DATA_DIR": str(data),
        "COGNITIVE_POLICY": str(data / "patient.toml"),
    }


class Shell:
    """Run commands for one agent with JSON output, and record which commands ran."""

    def __init__(self, environment: dict[str, str], agent: str = "") -> None:
        self.environment, self.agent = environment, agent
        self.ran: set[tuple[str, ...]] = set()

    def run(self, *words: str, input: str | None = None) -> Result:
        environment = {**self.environment, "COLUMNS": "200"}
        return CliRunner().invoke(cli, words, env=environment, input=input, prog_name="cognitive")

    def __call__(self, *words: object, code: int = 0) -> dict:
        arguments = list(map(str, words))
        path = next(path for path in LEAVES if tuple(arguments[: len(path)]) == path)
        of_agent = any(each.name == "agent" and each.param_type_name == "option" for each in LEAVES[path].params)
        result = self.run(*arguments, *(["--agent", self.agent] if of_agent else []), "--json")
        assert result.exit_code == code, result.output
        answer = json.loads(result.stdout)
        assert misfit(LEAVES[path].shape, answer) is None
        self.ran.add(path)
        return answer

    def run_turn(self, turn: Turn, outcome: Outcome) -> Sequence[Shown]:
        """Run a turn in this process with the environment of the commands, and return the memories it showed."""

        async def work() -> Sequence[Shown]:
            async with CognitiveLayer.open() as layer:
                context = await layer.pre_turn(turn)
                await layer.post_turn(context, outcome)
            return context.shown

        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return asyncio.run(work())


@pytest.fixture
def shell(environment, agent) -> Shell:
    return Shell(environment, agent)


def test_dry_run_of_an_import_says_what_would_be_left_out(shell, root):
    result = shell.run("db", "import", str(root / "tests/data/imports/mem0.json"), "--agent", shell.agent, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "4 memories: 3 would be imported, 1 merged with equal ones." in result.stdout
    assert "Users: cem (2), ada (1), bob (1)." in result.stdout
    assert "Left out 1 times, first on line 42: a record without text." in result.stdout


def test_every_command_works_and_prints_its_documented_json(shell, urls, tmp_path):
    [id] = shell("remember", PAYMENTS, "--type", "decision")["ids"]
    lines = tmp_path / "memories.jsonl"
    lines.write_text('{"type": "fact", "content": "Refunds take five days."}\n', encoding="utf-8")
    [fact] = shell("remember", "--file", lines)["ids"]
    assert shell("recall", "payments by Stripe")["hits"][0]["memory_id"] == id
    assert shell("memory", "show", id)["memories"][0]["content"] == PAYMENTS
    assert shell("memory", "show", id, uuid4(), code=NO)["missing"]
    changed = shell("memory", "update", id, 'tags=["pay"]', "confidence=0.9", f"content={STRIPE}")
    assert changed["memory"]["tags"] == ["pay"]
    assert changed["memory"]["content"] == STRIPE
    assert shell("memory", "show", id, "--history")["revisions"][0]["previous"]["content"] == PAYMENTS
    shell("memory", "show", fact, "--history", code=NO)

    called = ToolCall(name="exec", id="c1")
    conversation = (
        Message(role="user", content="Deploy."),
        Message(role="assistant", tool_calls=(called,)),
        Message(role="tool", content=LOG, tool_call_id="c1"),
    )
    turn = Turn(
        agent_id=shell.agent,
        session_id="s1",
        text="Which payment provider did we decide on?",
        turn_id="t1",
        conversation=conversation,
        tools=({"name": "exec"},),
    )
    shown = shell.run_turn(turn, Outcome(response=STRIPE, tool_calls=(called,)))
    assert [each.memory_id for each in shown] == [UUID(id)]
    assert shell("why")["turns"][0]["status"] == "completed"
    assert shell("why", "--session", "s1", "--limit", 1)["turns"][0]["turn_id"] == "t1"
    shell("why", "--session", "none", code=NO)
    assert shell("why", "t1")["candidates"][0]["memory"]["id"] == id
    assert shell("why", "t1", id)["candidate"]["disposition"] == "shown"
    listed = shell.run("why", "t1", "--agent", shell.agent).stdout
    assert listed.startswith("1 of 2 candidates shown:")
    assert id in listed
    assert "Shown at rank 1" in shell.run("why", "t1", "--verbose", "--agent", shell.agent).stdout
    assert shell("replay")["replays"][0]["verdict"] == "identical"

    assert shell("session", "show", "s1")["session"]["turns"] == 1
    learned = shell("agent", "learned", "--user", "u")  # a user's view has the turns without a user too
    assert learned["plans"][0]["tools"] == [["exec", 1]]
    assert learned["tool_usage"][0]["tool"] == "exec"
    assert learned["categories"] == {}
    assert shell("agent", "learned", "--reset", "--yes") == {"turns": 1}
    assert shell("agent", "learned")["tool_usage"] == []
    shell("policy", "shadow", "--compare", code=NO)
    assert shell("db", "index", code=NO) == {"groups": []}
    [measured] = shell("bench", "turns", 100, "--turns", 10)["sizes"]
    assert measured["memories"] == 100
    assert measured["turns"] == 10
    policy = tmp_path / "policy.toml"
    policy.write_text("evidence.min_item_share = 0.4\n", encoding="utf-8")
    evaluated = shell("evaluate", "--policy", policy, code=NO)
    assert "turns" in evaluated["evaluation"]["refusal"]
    assert evaluated["policy"]["source"] == f"from the file {policy}"
    refund_turn = Turn(agent_id=shell.agent, session_id="s1", text="How long do refunds take?", turn_id="t2")
    shell.run_turn(refund_turn, Outcome(response="Five days."))
    assert shell("tune", "--out", tmp_path / "found.toml", code=NO)["written"] is None
    assert "usage.half_life_days" in {row["name"] for row in shell("policy", "show", "--live-settings")["rows"]}
    saved = shell("policy", "save", "--set", "usage.half_life_days=3", "--note", "shorter")["candidate"]["version"]
    [differs] = shell("policy", "show", saved)["differences"]
    assert differs == {"name": "usage.half_life_days", "was": 7.0, "now": 3.0}
    assert shell("policy", "shadow", saved)["choice"]["role"] == "shadow"
    assert shell("policy", "activate", saved)["choice"]["number"] == 1
    assert shell("policy", "show")["live"] == shell("config")["stored"]["live"] == saved
    who = shell("policy", "show")["history"][0]["author"]
    for name in (("evaluate",), ("tune", "--out", tmp_path / "found.toml"), ("replay", "--live")):
        used = shell(*name, code=0 if name[0] == "replay" else NO)["policy"]
        assert used == {"version": saved, "source": f"activated for the agent by {who}", "chosen": True}
    assert shell("policy", "activate", "--previous")["choice"]["version"] is None
    assert shell("policy", "shadow", "--previous")["choice"]["version"] is None
    used = shell("evaluate", code=NO)["policy"]
    assert (used["source"], used["chosen"]) == ("the host's policy", False)
    assert len(shell("policy", "show")["history"]) == 4
    assert shell("config")["version"]
    assert shell("config")["embedded"] is None
    assert shell("doctor")["healthy"]
    assert shell("db", "upgrade", "--url", urls.owner)["revision"]
    assert shell("db", "upgrade", "--repair", "--url", urls.owner) == {"rebuilt": []}
    assert shell("db", "language", "simple")["language"] == "simple"

    kept = ("--tokens", tmp_path / "tokens.toml")
    token = shell("token", "create", *kept)["id"]
    assert [each["id"] for each in shell("token", "list", *kept)["tokens"]] == [token]
    assert shell("token", "revoke", token, *kept)["agent"] == shell.agent

    assert fact in [each["id"] for each in shell("memory", "list")["memories"]]
    shell("memory", "list", "--tag", "never", code=NO)
    out = str(tmp_path / "exported.jsonl")
    assert shell("db", "export", out)["memories"] == shell("db", "import", out)["memories"] > 0
    assert shell("db", "apply-retention", "--dry-run")["rows"] == {}
    expiring = ("--expires", "2099-01-01", "--metadata", '{"priority": 3}')
    [twin] = shell("remember", "The pump is green.", "--type", "fact", *expiring)["ids"]
    [shown] = shell("memory", "show", twin)["memories"]
    assert (shown["metadata"], shown["hidden_reason"]) == ({"priority": 3}, "expired")
    assert shell("memory", "merge", twin, "--into", fact)["memories"][0]["replaced_by"] == fact
    assert shell("memory", "restore", twin)["memories"][0]["hidden_reason"] == "expired"
    [double] = shell("remember", "The pump is green.", "--type", "fact", "--source", "double")["ids"]
    [pair] = shell("memory", "duplicates")["items"]
    assert {pair["older"]["id"], pair["newer"]["id"]} == {twin, double}
    messages = tmp_path / "messages.json"
    messages.write_text(json.dumps([{"role": "user", "content": "Our pump room is in the cellar."}]), "utf-8")
    stored = shell("memory", "conversation", messages)
    assert (len(stored["lines"]), len(stored["formed"]), stored["unread"]) == (1, 1, 0)
    assert shell("memory", "conversation", messages)["known"] == 1
    assert shell("agent", "form", "--dry-run") == {"read": 2, "waiting": 0, "parked": 0}
    assert shell("agent", "form", "--model", "json:dumps")["read"] == 2
    assert shell("memory", "contradictions") == {"items": [], "next": None, "compared": 6}
    assert shell("memory", "stale") == {"items": [], "next": None}
    assert shell("memory", "retire", twin)["memories"][0]["hidden_reason"] == "retired"
    assert shell("memory", "forget", fact, "--yes")["memories"] == 1
    assert [each["session_id"] for each in shell("session", "list")["sessions"]][-1:] == ["s1"]
    assert [each["session_id"] for each in shell("session", "list", "S1", "--open")["sessions"]] == ["s1"]
    assert shell("session", "list", "none", code=NO) == {"sessions": []}
    assert shell.agent in shell("agent", "list", "--url", urls.admin)["agents"]
    assert shell("agent", "list", shell.agent[:9].upper(), "--limit", "1", "--url", urls.admin)["agents"] != []
    [own] = shell("remember", "Ann likes jazz.", "--user", "ann")["ids"]
    [copy] = shell("memory", "share", own, "--user", "ann")["ids"]
    assert shell("memory", "show", copy)["memories"][0]["source"] == f"shared:{own}"
    assert [(each["user_id"], each["memories"]) for each in shell("user", "list")["users"]] == [("ann", 1)]
    assert shell("user", "assign", shell.agent, "--dry-run")["users"] == {}  # its turns recorded no users
    assert shell("user", "erase", "ann", "--yes")["memories"] == 1
    assert shell("session", "end", "s1") == {"ended": True}
    assert shell("session", "end", "s1", "--clear", "--yes")["artifacts"] == 1
    assert shell("agent", "erase", shell.agent, "--yes")["turns"] == 2
    assert {path for path in set(LEAVES) - shell.ran if path[0] not in WITH_TESTS_OF_THEIR_OWN} == {
        ("db", "distribute"),
        ("db", "roles"),
        ("db", "reembed"),
    }


def test_every_command_has_help_and_a_documented_json_shape():
    listed = CliRunner().invoke(cli, ["--help"]).stdout
    assert all(command.help for command in LEAVES.values())
    assert {path for path, command in LEAVES.items() if not isinstance(command, JsonCommand)} <= {
        path for path in LEAVES if path[0] in SPEAKING_A_PROTOCOL
    }
    assert all(re.search(rf"^  {path[0]} ", listed, re.MULTILINE) for path in LEAVES)


def test_token_is_shown_only_at_creation(shell, tmp_path):
    kept = ("--tokens", tmp_path / "tokens.toml")
    shell("token", "list", *kept, code=NO)
    shell.agent += "\x1b[2J"
    made = shell("token", "create", *kept)
    admin = json.loads(shell.run("token", "create", "--admin", *map(str, kept), "--json").stdout)
    first, second = (shell.run("token", "create", "--admin", "--tokens", str(tmp_path / "new.toml")) for _ in range(2))
    assert ("the server requires a token" in first.stderr, second.stderr) == (True, "")
    assert (made["admin"], admin["agent"], admin["admin"]) == (False, None, True)
    result = shell.run("token", "list", *map(str, kept)).stdout
    assert made["id"] in result
    assert made["token"].split("_")[2] not in result
    assert "\x1b" not in result
    result = shell.run("token", "revoke", "none", *map(str, kept))
    assert (result.exit_code, "'none'" in result.stderr) == (1, True)
    assert shell.run("token", "create", *map(str, kept)).exit_code == 2


# --- exit codes and errors ---


def test_empty_results_have_their_own_exit_code(shell):
    assert shell("recall", "zebras", code=NO) == {"hits": [], "more": 0, "lag_seconds": None}
    assert shell("session", "show", "none", code=NO) == {"session": None}
    assert shell("session", "end", "none", code=NO) == {"ended": False}
    result = shell.run("why", "--agent", shell.agent)
    assert (result.exit_code, result.stdout) == (NO, "")
    assert shell.agent in result.stderr
    assert set(CODES) == {0, 1, 2, 3}


def test_empty_upkeep_list_says_what_there_is_none_of(shell):
    for name, items in (
        ("duplicates", "duplicates"),
        ("contradictions", "contradictions"),
        ("stale", "stale memories"),
    ):
        assert shell.run("memory", name, "--agent", shell.agent).stdout == f"There are no {items}.\n"
    assert "page" in shell.run("memory", "stale", "--agent", shell.agent, "--after", "50").stdout


@pytest.mark.parametrize(
    ("words", "kind", "culprit", "following"),
    [
        (("why", "t9"), "UnknownTurn", "t9", "cognitive why --agent AGENT --all-users"),
        (("memory", "forget", str(uuid4()), "--yes"), "UnknownMemory", "", "cognitive recall QUERY --agent AGENT"),
        (("memory", "forget", str(uuid4())), "UnknownMemory", "", "; a user's memory needs --user"),
        (("memory", "update", str(uuid4()), "pinned"), "InvalidInput", "'pinned'", None),
        (("memory", "update", str(uuid4()), "--content", "x"), "InvalidInput", "'--content': expected FIELD=", None),
        (
            ("policy", "save", "--set", "evidence.treshold=0.6"),
            "InvalidInput",
            "evidence.treshold: did you mean evidence.threshold?",
            None,
        ),
        (("policy", "save", "--set", "dedup.enabled=0"), "InvalidInput", "cannot be changed at run time", None),
    ],
)
def test_error_names_the_bad_value_and_the_next_command(shell, words, kind, culprit, following):
    result = shell.run(*words, "--agent", shell.agent)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{kind}: ")
    assert culprit in result.stderr
    as_json = json.loads(shell.run(*words, "--agent", shell.agent, "--json").stderr)["error"]
    assert (as_json["type"], as_json["message"] in result.stderr) == (kind, True)
    if following is None:
        assert as_json["next"] is None
    else:
        assert following.replace("AGENT", shell.agent) in as_json["next"]
        assert as_json["next"] in result.stderr


def test_usage_errors_are_reported_in_json(shell):
    assert shell.run("recall", "x", "--agent", shell.agent, "--limit", "0").exit_code == 2
    result = shell.run("recall", "x", "--agent", shell.agent, "--limit", "0", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--limit" in json.loads(result.stderr)["error"]["message"]
    assert shell.run("recall", "--agent", shell.agent, "--", "--json").exit_code in (0, NO), (
        "after -- it is an argument"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("session", "end", "s1", "--clear", "--json"),
        ("policy", "activate"),
        ("policy", "activate", "v", "--previous"),
        ("policy", "shadow", "v", "--compare"),
        ("policy", "show", "v", "--live-settings"),
        ("policy", "show", "--with", "v"),
        ("why", "t1", "--session", "s1"),
        ("memory", "show", "--history"),
        ("memory", "list", "--tag", "x", "--where", '{"tags": {"eq": "y"}}'),
    ],
)
def test_conflicting_options_are_refused(shell, words):
    assert shell.run(*words, "--agent", shell.agent).exit_code == 2


def test_unreachable_database_error_advises_the_doctor_command(shell):
    shell.environment = {**shell.environment, "COGNITIVE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    result = shell.run("recall", "x", "--agent", shell.agent, "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    *warnings, last = map(json.loads, result.stderr.splitlines())
    assert last["error"]["type"] == "StoreUnavailable"
    assert "cognitive doctor" in last["error"]["next"]
    assert all("warning" in each for each in warnings)
    assert shell("doctor", code=NO)["healthy"] is False
    shell.environment["COGNITIVE_DATABASE_URL"] = "mysql://x"
    assert "Next: `cognitive doctor`" in shell.run("recall", "x", "--agent", shell.agent).stderr


@pytest.mark.parametrize(
    ("refused", "following"),
    [
        ("this database has no cognitive schema yet", "cognitive db upgrade --url"),
        ("Postgres 15 is too old: 16 or newer is needed", "cognitive doctor"),
        ("cannot use this database: permission denied to set role", "cognitive doctor"),
        ("this role lacks a privilege: ask an administrator to run `CREATE EXTENSION vector`", None),
    ],
)
def test_upgrade_is_advised_only_for_a_missing_schema(refused, following):
    result = advice(SchemaError(refused))
    assert (following in result) if following else (result is None)
    assert ("db upgrade" in (result or "")) == ("no cognitive schema" in refused)


# --- irreversible commands ---


def test_irreversible_commands_ask_for_confirmation(shell):
    [id] = shell("remember", PAYMENTS)["ids"]
    forget = ("memory", "forget", id, "--agent", shell.agent)
    assert shell.run(*forget, input="n\n").exit_code == 1
    assert shell.run(*forget, "--json").exit_code == 2, "a program cannot answer a question"
    demo = shell.run("demo", "--agent", shell.agent, input="n\n")
    assert demo.exit_code == 1
    assert shell("memory", "show", id)["memories"]
    assert shell.run(*forget, input="y\n").exit_code == 0
    assert shell("memory", "show", id, code=NO)["missing"] == [id]


def test_language_command_shows_changes_and_validates_the_language(shell):
    shell("remember", "Häuser, Hang 4")
    assert shell("db", "language")["language"] == "english"
    changed = shell("db", "language", "german", "--load", "1")
    assert changed == {
        "agent": shell.agent,
        "language": "german",
        "pending_language": None,
        "chosen": True,
        "memories": 1,
        "lacking": 0,
        "leaving": 0,
    }
    assert shell("recall", "Haus")["hits"][0]["scores"]["content_bm25"]
    result = shell.run("db", "language", "--agent", shell.agent)
    assert result.stdout == f"{shell.agent} is searched in german: 1 memories.\n"
    refused = shell.run("db", "language", "deutsch", "--agent", shell.agent)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("UnknownLanguage: language: there is no 'deutsch'; there are arabic, ")
    assert shell("db", "language") == changed


def test_demo_prints_a_single_json_document(shell, tmp_path):
    story = {
        "title": "Two lines",
        "items": [{"id": "i1", "type": "fact", "text": "The harbour office closes at five."}],
        "turns": [{"text": "When does the harbour office close?", "response": "It closes at five."}],
    }
    file = tmp_path / "story.json"
    file.write_text(json.dumps(story), encoding="utf-8")
    played = shell("demo", "--from", file, "--yes")
    assert [turn["turn_id"] for turn in played["turns"]] == ["demo-01"]
    assert played["turns"][0]["shown"][0]["content"] == "The harbour office closes at five."


# --- the terminal ---


def test_control_characters_in_memories_are_escaped_in_output(shell):
    shell("remember", "The gate \x1b[2J\x1b]0;owned\x07\u202e opens at nine. [bold]Not bold.[/bold]")
    result = shell.run("recall", "when does the gate open", "--agent", shell.agent)
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "\\u202e" in result.stdout
    assert "\\x1b[2J" in result.stdout
    assert "[bold]" in result.stdout


def test_control_characters_in_memories_are_escaped_in_json(shell):
    said = "The gate \x9b2J\x7f\u202e opens at nine."
    shell("remember", said)
    result = shell.run("recall", "when does the gate open", "--agent", shell.agent, "--json")
    assert not {"\x9b", "\x7f", "\u202e"} & set(result.stdout)
    assert json.dumps(said)[1:-1] in json.dumps(json.loads(result.stdout))


def test_why_says_in_words_that_the_system_message_shows_a_memory(shell):
    [id] = shell("remember", PAYMENTS, "--pinned")["ids"]
    shell.run_turn(Turn(agent_id=shell.agent, session_id="s", turn_id="t", text="Who does payments?"), Outcome())
    assert shell("why", "t", id)["candidate"]["disposition"] == "pinned"
    for words in (("t",), ("t", "--verbose"), ("t", id)):
        printed = shell.run("why", *words, "--agent", shell.agent).stdout
        assert ("in the system message" in printed, "pinned" in printed) == (True, False), printed


def test_recall_marks_superseded_memories(shell):
    [old] = shell("remember", "The gate opens at eight.")["ids"]
    shell("remember", "The gate opens at nine.", "--supersedes", old)
    replaced_on = shell("memory", "show", old)["memories"][0]["hidden_at"][:10]
    newer, older = shell.run("recall", "When does the gate open?", "--agent", shell.agent).stdout.splitlines()[1:]
    assert f"eight. (replaced on {replaced_on})" in older
    assert "replaced" not in newer


def test_progress_is_drawn_only_on_a_terminal(environment, agent, tmp_path):
    lines = tmp_path / "memories.jsonl"
    lines.write_text('{"type": "fact", "content": "Refunds take five days."}\n', encoding="utf-8")
    command = [sys.executable, "-m", "cognitive.cli.main", "remember", "--file", str(lines), "--agent", agent]
    options = {"env": {**os.environ, **environment, "TERM": "xterm"}, "check": True, "timeout": 60}
    assert subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, **options).stderr == b""
    ours, theirs = os.openpty()
    answer = subprocess.run(command, stderr=theirs, stdout=subprocess.PIPE, **options).stdout.decode()
    assert re.fullmatch(r"[0-9a-f-]{36}\n", answer)
    assert b"remembering" in os.read(ours, 65_536)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(("name", "current"), [("bash", "1"), ("zsh", "1"), ("fish", "rem")])
def test_shells_complete_the_commands(environment, name, current):
    completion = {"_COGNITIVE_COMPLETE": f"{name}_complete", "COMP_WORDS": "cognitive rem", "COMP_CWORD": current}
    command = [sys.executable, "-c", "from cognitive.cli.main import main; main()"]
    done = subprocess.run(
        command, env={**os.environ, **completion}, capture_output=True, text=True, check=True, timeout=60
    )
    assert "remember" in done.stdout


# --- which agent ---


def test_only_the_demo_command_has_a_default_agent():
    defaults = {
        path: option.default
        for path, command in LEAVES.items()
        for option in command.params
        if option.name == "agent" and isinstance(option.default, str)
    }
    assert defaults == {("demo",): "demo"}


def test_agent_comes_from_the_option_or_the_environment(shell):
    shell("remember", PAYMENTS)
    result = shell.run("recall", "payments by Stripe")
    assert (result.exit_code, "--agent" in result.stderr) == (2, True)
    shell.environment = {**shell.environment, "COGNITIVE_AGENT": shell.agent}
    assert shell.run("recall", "payments by Stripe").exit_code == 0
    assert shell.run("recall", "payments by Stripe", "--agent", f"{shell.agent}-other").exit_code == NO


# --- users ---


def test_commands_have_the_view_of_the_named_user(shell, tmp_path):
    ids = {user: shell("remember", f"The kanari{user} sings.", "--user", user)["ids"][0] for user in ("ann", "bob")}
    for user in ids:
        turn = Turn(agent_id=shell.agent, session_id="s", turn_id="t", user_id=user, text=f"Does kanari{user} sing?")
        shell.run_turn(turn, Outcome(response=f"The kanari{user} sings."))
    out = tmp_path / "bobs.jsonl"
    reading = [
        ("recall", "Who sings?"),
        ("memory", "list"),
        ("memory", "show", ids["bob"]),
        ("memory", "duplicates"),
        ("why",),
        ("why", "t"),
        ("why", "t", ids["bob"]),
        ("replay",),
        ("session", "show", "s"),
        ("db", "export", out),
    ]
    answers = {words: json.dumps(shell(*words, "--user", "bob")) for words in reading}
    answers[("agent", "learned")] = json.dumps(shell("agent", "learned", "--user", "bob", code=NO))
    assert not [words for words, answer in answers.items() if "kanariann" in answer]
    shown = {words[0] for words, answer in answers.items() if "kanaribob" in answer}
    assert shown >= {"recall", "memory", "why", "session", "replay"}
    assert ("kanaribob" in out.read_text(), "kanariann" in out.read_text()) == (True, False)
    assert shell("memory", "show", ids["ann"], "--user", "bob", code=NO)["missing"] == [ids["ann"]]
    assert len(shell("memory", "list", "--all-users")["memories"]) == len(shell("why", "--all-users")["turns"]) == 2
    assert shell.run("session", "show", "s", "--agent", shell.agent).exit_code == NO
    for words in (("memory", "forget", ids["ann"], "--yes"), ("memory", "update", ids["ann"], "pinned=true")):
        shell.run(*words, "--agent", shell.agent, "--user", "bob")
    assert not shell("memory", "show", ids["ann"], "--user", "ann")["memories"][0]["pinned"]


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "list", "--user", "ann", "--all-users"),
        ("why", "t", "--all-users"),
        ("policy", "shadow", "--user", "ann"),
        ("token", "create", "--user", "ann", "--operator"),
    ],
)
def test_contradictory_users_are_an_invalid_command_line(shell, words):
    assert shell.run(*words, "--agent", "a").exit_code == 2


@pytest.mark.parametrize("words", [("recall", "x"), ("memory", "list"), ("db", "export", "x.jsonl"), ("why",)])
def test_blank_user_is_refused(shell, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = shell.run(*words, "--agent", shell.agent, "--user", "")
    assert result.exit_code == 1
    assert "user_id" in result.output


def test_remembered_line_of_another_user_is_refused(shell, tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"type": "fact", "content": "It is hers.", "user_id": "ann"}\n', encoding="utf-8")
    words = ("remember", "--file", str(lines), "--agent", shell.agent)
    assert shell.run(*words, "--user", "bob").exit_code == 1
    assert shell.run(*words).exit_code == 0
    assert [each["user_id"] for each in shell("memory", "list", "--all-users")["memories"]] == ["ann"]
