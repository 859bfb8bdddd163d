"""`cognitive db reembed`, from the first vector of the new model to the last one of the old."""

from __future__ import annotations

import pytest
from test_commands import Shell

from cognitive import Outcome, Turn

KEY = "The spare key of the boat house hangs behind the barometer."


@pytest.fixture
def shell(urls, agent, tmp_path) -> Shell:
    (tmp_path / "patient.toml").write_text("deadline_ms = 5000\n", encoding="utf-8")  # the machine may be busy
    environment = {
        "COGNITIVE_DATABASE_URL": urls.app,
        "COGNITIVE_DATA_DIR": str(tmp_path),
        "COGNITIVE_POLICY": str(tmp_path / "patient.toml"),
        "COGNITIVE_EMBEDDING_MODELS": "hashed:old",
    }
    return Shell(environment, agent)


def test_reembed_command_changes_the_model_step_by_step(shell, urls):
    def reembed(*words: str, code: int = 0):
        return shell("db", "reembed", *words, "--agent", shell.agent, code=code)["agents"][0]

    shell("remember", KEY, "--type", "fact")
    question = "Where does the spare key of the boat house hang?"
    shell.run_turn(Turn(agent_id=shell.agent, session_id="s", text=question, turn_id="t"), Outcome(response=KEY))
    assert [(each["model"], each["state"]) for each in reembed("--status")["models"]] == [("test/old", "live")]
    built = reembed("--to", "hashed:new", "--load", "1")
    assert (built["lacking"], built["turns"]) == (0, 1)
    compared = reembed("--to", "hashed:new", "--compare")["comparison"]
    assert (compared["turns"], compared["overlap"], compared["new_recall"]) == (1, 1.0, 1.0)
    switched = reembed("--to", "hashed:new", "--cut-over")
    assert (switched["was"], switched["live"]) == ("test/old", "test/new")
    assert reembed("--roll-back")["live"] == "test/old"
    assert reembed("--roll-back")["live"] == "test/new"
    [dropped] = reembed("--drop-old", "--yes")["dropped"]
    assert (dropped["model"], dropped["embeddings"], dropped["turns"]) == ("test/old", 1, 1)
    assert [(each["model"], each["state"]) for each in reembed("--status")["models"]] == [("test/new", "live")]
    reembed("--to", "hashed:twin")
    assert reembed("--to", "hashed:twin", "--cancel", "--yes")["dropped"][0]["embeddings"] == 1


def test_reembed_command_prints_readable_progress(shell):
    shell("remember", KEY, "--type", "fact")
    new = ("--to", "hashed:new")
    steps = (new, (*new, "--compare"), (*new, "--cut-over"), ("--status",))
    outputs = [shell.run("db", "reembed", "--agent", shell.agent, *words).output for words in steps]
    assert "built; 0 memories lack vectors" in outputs[0]
    assert "no completed turns" in outputs[1]
    assert "searches now use test/new instead of test/old" in outputs[2]
    assert "test/new (96 dimensions) is live" in outputs[3]
    assert "test/old (64 dimensions) is retired" in outputs[3]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--cut-over",), 2, "--to MODEL"),
        (("--to", "nonsense"), 1, "unknown embedding model"),
        (("--to", "hashed:nobody"), 1, "returned no embedder"),
        (("--to", "hashed:new"), 1, "there is no agent"),
        (("--roll-back",), 1, "no model to go back to"),
        ((), 2, "--to MODEL"),
    ],
)
def test_invalid_reembed_options_are_refused(shell, words, code, message):
    result = shell.run("db", "reembed", "--agent", shell.agent, *words)
    assert result.exit_code == code
    assert message in result.output


def test_status_of_all_agents_requires_an_administrator(shell, urls):
    result = shell.run("db", "reembed", "--status", "--url", urls.app)
    assert result.exit_code == 1
    assert "one agent at a time" in result.output
    shell("remember", KEY, "--type", "fact")
    assert shell.agent in shell.run("db", "reembed", "--status", "--url", urls.admin).output
