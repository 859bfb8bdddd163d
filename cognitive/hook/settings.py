"""Editing of a coding agent's settings file: list, add and remove the hooks that run `cognitive hook`.

All functions take and return the file's text. Claude Code's `settings.json` and Codex' `hooks.json` have the same form.
Other settings keep their order, and a text that needs no change is returned byte for byte.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cognitive.hook.protocol import EVENTS

# The events that all versions know: an agent may reject the whole file for an unknown one. Two events are left out that
# report failures, which the transcript contains too.
CLAUDE_EVENTS = ("session-start", "user-prompt-submit", "post-tool-use", "stop", "session-end")
CODEX_EVENTS = ("session-start", "user-prompt-submit", "post-tool-use", "stop")
TIMEOUT = 10  # seconds after which the agent stops waiting for a hook; ours ends much earlier


def with_hooks(text: str, command: Callable[[str], str], events: Iterable[str]) -> str:
    """Add a hook that runs `cognitive hook` for each event to the text of a settings file, and return the new text.

    If the file already has such a hook for an event, its command is replaced. `command` returns the shell command for
    an event.

    Raises:
        ValueError: the text is not JSON, or not of the documented form, so that no change would be safe.
    """
    settings = _read(text)
    hooks = settings.setdefault("hooks", {})
    for event in events:
        groups = hooks.setdefault(EVENTS[event], [])
        ours = [handler for group in groups for handler in group.get("hooks", []) if event_of(handler) == event]
        for handler in ours:
            handler["command"] = command(event)
        if not ours:
            handler = {"type": "command", "command": command(event), "timeout": TIMEOUT}
            groups.append({"hooks": [handler]})
    return _to_text(settings, text)


def without_hooks(text: str) -> str:
    """Remove the hooks that run `cognitive hook` from the text of a settings file, and return the new text.

    Groups and events that contained only such hooks are removed too.

    Raises:
        ValueError: the text is not JSON, or not of the documented form.
    """
    settings = _read(text)
    hooks = settings.get("hooks", {})
    for name, groups in list(hooks.items()):
        remaining = []
        for group in groups:
            others = [handler for handler in group.get("hooks", []) if event_of(handler) is None]
            if len(others) == len(group.get("hooks", [])):
                remaining.append(group)
            elif others:
                remaining.append({**group, "hooks": others})
        if remaining or not groups:
            hooks[name] = remaining
        else:
            del hooks[name]
    if not hooks and _read(text).get("hooks"):
        del settings["hooks"]
    return _to_text(settings, text)


def hook_commands(text: str) -> dict[str, str]:
    """Return the shell commands in a settings file's text that run `cognitive hook`, by the event that they handle.

    Raises:
        ValueError: the text is not JSON, or not of the documented form.
    """
    handlers = (
        handler
        for groups in _read(text).get("hooks", {}).values()
        for group in groups
        for handler in group.get("hooks", [])
    )
    return {event: handler["command"] for handler in handlers if (event := event_of(handler)) is not None}


def event_of(handler: Mapping[str, Any]) -> str | None:
    """Return the event that a settings file's handler passes to `cognitive hook`, or None if it runs anything else."""
    try:
        words = shlex.split(str(handler.get("command", "")))
    except ValueError:  # an unclosed quotation mark, so the command is not ours
        return None
    for program, hook, event in zip(words, words[1:], words[2:], strict=False):
        if hook == "hook" and event in EVENTS and os.path.basename(program) in ("cognitive", "cognitive.cli.entry"):
            return event
    return None


def _read(text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text, object_pairs_hook=_without_duplicates) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error}") from None
    if not isinstance(settings, dict):
        raise ValueError("is not a JSON object")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError("'hooks' is not an object")
    for name, groups in hooks.items():
        if not isinstance(groups, list) or not all(_is_group(group) for group in groups):
            raise ValueError(f"'hooks.{name}' is not a list of groups of hooks")
    return settings


def _is_group(group: Any) -> bool:
    handlers = group.get("hooks", []) if isinstance(group, dict) else None
    return isinstance(handlers, list) and all(isinstance(handler, dict) for handler in handlers)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the key-value pairs of a JSON object as a dict.

    Raise ValueError if a key occurs twice, because writing the object back would lose a value.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError(f"has a key twice in one object: {', '.join(sorted(values))}")
    return values


def _to_text(settings: dict[str, Any], before: str) -> str:
    """Return settings as JSON, with the indentation and escaping of `before`, the file's text before the change.

    If the settings did not change, return `before` itself.
    """
    if before.strip() and settings == _read(before):
        return before
    indent = re.search(r"^[ \t]+(?=\")", before, re.MULTILINE)
    text = json.dumps(settings, indent=indent.group() if indent else 2, ensure_ascii="\\u" in before)
    return text + "\n" if not before.strip() or before.endswith("\n") else text
