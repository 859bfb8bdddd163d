"""The hooks in the settings of an agent are added and removed without changing other settings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.hook.protocol import EVENTS
from cognitive.hook.settings import CLAUDE_EVENTS, CODEX_EVENTS, event_of, hook_commands, with_hooks, without_hooks

OTHER_SETTINGS = {
    "model": "opus",
    "hooks": {
        "PostToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier --write"}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "notify-send done"}]}],
    },
    "permissions": {"allow": ["Bash(git *)"], "deny": []},
}


def command(event):
    return f"/opt/venv/bin/cognitive hook {event}"


def installed(text):
    return with_hooks(text, command, CLAUDE_EVENTS)


def test_hooks_are_appended_and_existing_settings_stay_in_place():
    text = json.dumps(OTHER_SETTINGS, indent=4) + "\n"
    new = installed(text)
    settings = json.loads(new)
    assert list(settings) == list(OTHER_SETTINGS)
    assert list(settings["hooks"])[:2] == ["PostToolUse", "Notification"]
    assert settings["hooks"]["PostToolUse"][0] == OTHER_SETTINGS["hooks"]["PostToolUse"][0]
    assert hook_commands(new) == {event: command(event) for event in CLAUDE_EVENTS}
    assert '\n    "model"' in new, "the indentation must not change"
    assert set(json.loads(with_hooks("", command, CODEX_EVENTS))["hooks"]) == {EVENTS[event] for event in CODEX_EVENTS}


def test_reinstalling_does_not_change_the_text():
    text = installed('{"model": "opus",   "env": {}}')
    assert installed(text) == text
    scrawled = json.dumps(json.loads(text), separators=(",", " :  "))
    assert installed(scrawled) == scrawled


FORMATTED = """{
    "model": "opus",   "env": {"A": "1"},
  "permissions": {
      "allow": ["Bash(git *)",  "Read"]
  },
	"hooks": {"Notification": [{"hooks": [{"type": "command", "command": "notify-send 'é'"}]}],
            "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{"type": "command", "command": "prettier --write"}]
      }
            ]
  }
}"""


@pytest.mark.parametrize(
    "text",
    [
        FORMATTED,
        FORMATTED + "\n",
        '{"model": "opus",   "env": {}}',
        '{ "model":"opus" }',
        "{}",
        "{}\n",
        json.dumps(OTHER_SETTINGS, indent="\t"),
        json.dumps(OTHER_SETTINGS, separators=(",", ":")),
        '{\n  "model": "opus",\n  "z": [\n    1,\n    2\n  ]\n}\n',
    ],
)
def test_uninstalling_restores_the_file_byte_for_byte(text):
    new = installed(text)
    assert hook_commands(new) == {event: command(event) for event in CLAUDE_EVENTS}
    assert without_hooks(new) == text
    changed = with_hooks(new, lambda event: f"cognitive hook {event} --agent team", CLAUDE_EVENTS)
    assert without_hooks(changed) == text


def test_installed_hooks_are_indented_like_the_file():
    new = installed('{\n    "model": "opus"\n}\n')
    assert new == json.dumps(json.loads(new), indent=4) + "\n"


def test_new_installation_replaces_the_earlier_one():
    new = with_hooks(installed(""), lambda event: f"cognitive hook {event} --agent team", CLAUDE_EVENTS)
    assert hook_commands(new)["stop"] == "cognitive hook stop --agent team"
    assert len(json.loads(new)["hooks"]["Stop"]) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
HANDLERS = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=20)})
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}, optional={"matcher": st.text(max_size=5)})
HOOKS = st.dictionaries(st.sampled_from([*EVENTS.values(), "Notification"]), st.lists(GROUPS, max_size=2), max_size=3)
SETTINGS = st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), JSON, max_size=4)


@given(SETTINGS, st.none() | HOOKS, st.sampled_from([None, 2, 4, "\t"]))
def test_uninstalling_restores_the_settings(settings, hooks, indent):
    whole = settings if hooks is None else {**settings, "hooks": hooks}
    back = json.loads(without_hooks(installed(json.dumps(whole, indent=indent))))
    original = dict(whole)
    kept = {name: groups for name, groups in original.pop("hooks", {}).items() if groups}
    empty = {name for name, groups in (hooks or {}).items() if not groups}
    assert {name: groups for name, groups in back.pop("hooks", {}).items() if name not in empty} == kept
    assert back == original
    assert list(back) == list(original)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("// mine\n{}", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"hooks": []}', "'hooks' is not an object"),
        ('{"hooks": {"Stop": {}}}', "'hooks.Stop' is not a list"),
        ('{"hooks": {"Stop": [{"hooks": "x"}]}}', "'hooks.Stop' is not a list"),
        ('{"env": {}, "env": {}}', "key twice"),
    ],
)
def test_invalid_settings_are_refused(text, why):
    for change in (installed, without_hooks, hook_commands):
        with pytest.raises(ValueError, match=why):
            change(text)


@pytest.mark.parametrize(
    ("words", "event"),
    [
        ("cognitive hook stop", "stop"),
        ("'/my venv/bin/cognitive' hook session-start --agent x", "session-start"),
        ("/usr/bin/python3 -P -m cognitive.cli.entry hook stop", "stop"),
        ("cognitive hook status", None),
        ("othercognitive hook stop", None),
        ("echo 'cognitive hook stop", None),
        ("prettier", None),
    ],
)
def test_hooks_are_recognised_by_their_command(words, event):
    assert event_of({"command": words}) == event
