"""`cognitive hook install | uninstall | status`: a change is shown first and written only after a confirmation."""

from __future__ import annotations

import json
import stat

import pytest
from click.testing import CliRunner

from cognitive.cli.hook import command
from cognitive.hook.settings import CLAUDE_EVENTS, CODEX_EVENTS, hook_commands


@pytest.fixture
def home(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def call(*arguments, code=0, answer=None):
    result = CliRunner().invoke(command, arguments, input=answer)
    assert result.exit_code == code, result.output
    return result.output


def test_install_writes_only_after_showing_the_change_and_a_yes(home):
    file = home / ".claude" / "settings.json"
    for arguments, answer in ((["--dry-run"], None), ([], "exchange\nn\n"), ([], "")):
        shown = call("install", *arguments, answer=answer, code=0 if arguments else 1)
        assert '+    "UserPromptSubmit": [' in shown
        assert not file.exists()
    call("install", answer="user\ny\n")
    assert set(hook_commands(file.read_text())) == set(CLAUDE_EVENTS)
    assert "nothing to change" in call("install", "--yes")
    call("uninstall", "--yes")
    assert json.loads(file.read_text()) == {}


@pytest.mark.parametrize(
    ("arguments", "file", "events"),
    [
        ([], ".claude/settings.json", CLAUDE_EVENTS),
        (["--project"], "project/.claude/settings.json", CLAUDE_EVENTS),
        (["--codex"], ".codex/hooks.json", CODEX_EVENTS),
        (["--codex", "--project"], "project/.codex/hooks.json", CODEX_EVENTS),
    ],
)
def test_project_file_uses_no_absolute_command_path(home, arguments, file, events):
    call("install", *arguments, "--yes", "--agent", "my team")
    commands = hook_commands((home / file).read_text())
    assert list(commands) == list(events)
    assert all(each.endswith("--agent 'my team'") for each in commands.values())
    assert all(each.startswith("cognitive hook ") for each in commands.values()) == ("--project" in arguments)


def test_install_keeps_link_and_mode_and_makes_a_backup(home):
    real = home / "dotfiles.json"
    real.write_text('{\n  "model": "opus"\n}\n')
    real.chmod(0o600)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    call("install", "--yes")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert json.loads(real.read_text())["model"] == "opus"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    (backup,) = home.glob("dotfiles.json.*bak")
    assert backup.read_text() == '{\n  "model": "opus"\n}\n'
    installed = real.read_text()
    call("uninstall", "--yes")
    assert real.read_text() == '{\n  "model": "opus"\n}\n'
    assert [each.read_text() for each in home.glob("dotfiles.json.*bak")] == [installed]


def test_invalid_settings_file_is_not_changed(home):
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{ // mine\n}")
    assert "is not JSON" in call("install", "--yes", code=1)
    assert file.read_text() == "{ // mine\n}"
    assert list(file.parent.iterdir()) == [file]


def test_status_reports_installed_hooks_and_problems(home):
    status = json.loads(call("status", "--json", code=1))
    assert status["problems"] == ["no hooks are installed; run `cognitive hook install`"]
    assert status["agent"].startswith("project-")
    call("install", "--yes")
    assert "No problems" in call("status")
    file = home / ".claude" / "settings.json"
    settings = json.loads(file.read_text())
    del settings["hooks"]["Stop"]
    settings["hooks"]["SessionStart"][0]["hooks"][0]["command"] = "/gone/cognitive hook session-start"
    file.write_text(json.dumps(settings))
    shown = call("status", code=1)
    assert f"{file}: no hook for stop" in shown
    assert "/gone/cognitive is not an executable program" in shown
    file.write_text("{")
    assert "is not JSON" in call("status", code=1)


def learns(*arguments, code=0):
    return json.loads(call("status", "--json", *arguments, code=code))["learns"]


def test_install_asks_what_is_stored_of_conversations(home):
    assert "exchange: your prompts and the agent's answers" in call("install", answer="\ny\n")
    assert learns()["capture"] == "exchange"
    assert "What is stored" not in call("install", "--codex", answer="y\n"), "both agents share the choice"
    assert "Learns from conversations: capture is exchange (from" in call("status")


def test_install_without_a_choice_says_that_nothing_is_learnt(home):
    assert "by default nothing; --capture changes it" in call("install", "--yes")
    assert learns()["capture"] == "off"
    assert "Learns nothing from conversations (capture is off, from default)" in call("status")


def test_status_says_where_the_choice_comes_from(home, monkeypatch):
    policy = home / "policy.toml"
    policy.write_text('capture = "user"')
    monkeypatch.setenv("COGNITIVE_POLICY", str(policy))
    call("install", "--yes")
    assert learns() == {"capture": "user", "capture_scope": "agent", "origin": str(policy)}
    call("install", "--yes", "--capture", "exchange")
    assert learns() == {
        "capture": "exchange",
        "capture_scope": "agent",
        "origin": str(home / "data/hook/learning.json"),
    }


def test_choice_for_a_project_leaves_other_projects_alone(home, monkeypatch):
    call("install", "--yes", "--capture", "off")
    call("install", "--project", "--yes", "--capture", "exchange")
    call("uninstall", "--project", "--yes")
    assert learns()["capture"] == "exchange"
    (home / "other").mkdir()
    monkeypatch.chdir(home / "other")
    assert learns()["capture"] == "off"


def test_private_choice_stays_until_shared_is_chosen(home, monkeypatch):
    assert "Git does not know you" in call("install", "--yes", "--private", code=2)
    (home / ".gitconfig").write_text("[user]\nemail = ada@example.com\n")
    assert "Only you are shown it." in call("install", "--yes", "--capture", "exchange", "--private")
    call("install", "--yes", "--codex")
    assert learns()["capture_scope"] == "user"
    assert "for ada@example.com only" in call("status")
    assert "Everyone who works on the repository" in call("install", "--yes", "--shared")
    assert learns()["capture_scope"] == "agent"


def test_dry_run_keeps_no_choice(home):
    call("install", "--dry-run", "--capture", "exchange")
    assert not (home / "data").exists()


def test_invalid_choice_file_is_named(home):
    call("install", "--yes", "--capture", "exchange")
    (home / "data/hook/learning.json").write_text('{"capture": "all"}')
    assert "learning.json" in call("status", code=1)
