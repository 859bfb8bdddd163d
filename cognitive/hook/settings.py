"""Editing of a coding agent's settings file: list, add and remove the hooks that run `cognitive hook`.

All functions take and return the file's text. Claude Code's `settings.json` and Codex' `hooks.json` have the same form.
Everything else in the text stays as it is, byte for byte.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cognitive.hook import json_text
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
    for event in events:
        ours = [path for path, found in _ours(settings) if found == event]
        for path in ours:
            if _at(settings, path)["command"] != command(event):
                text = json_text.replace(text, [*path, "command"], command(event))
        if not ours:
            text = _with_group(text, EVENTS[event], command(event))
    return text


def _with_group(text: str, name: str, command: str) -> str:
    """Add a group with one hook, which runs `command`, to the groups of the event `name`."""
    settings = _read(text)
    group = {"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}
    if not text.strip():
        return json.dumps({"hooks": {name: [group]}}, indent=2) + "\n"
    if "hooks" not in settings:
        return json_text.add(text, [], "hooks", {name: [group]})
    if name not in settings["hooks"]:
        return json_text.add(text, ["hooks"], name, [group])
    return json_text.add(text, ["hooks", name], None, group)


def without_hooks(text: str) -> str:
    """Remove the hooks that run `cognitive hook` from the text of a settings file, and return the new text.

    Groups and events that contained only such hooks are removed too.

    Raises:
        ValueError: the text is not JSON, or not of the documented form.
    """
    while (settings := _read(text)) and (path := next((path for path, _ in _ours(settings)), None)) is not None:
        # an only handler is removed with its group, an only group with its event, and an only event with all hooks
        for container, whole in ((4, 3), (2, 2), (1, 1)):
            if len(_at(settings, path[:container])) > 1:
                break
            path = path[:whole]
        text = json_text.remove(text, path)
    return text


def hook_commands(text: str) -> dict[str, str]:
    """Return the shell commands in a settings file's text that run `cognitive hook`, by the event that they handle.

    Raises:
        ValueError: the text is not JSON, or not of the documented form.
    """
    settings = _read(text)
    return {event: _at(settings, path)["command"] for path, event in _ours(settings)}


def _ours(settings: Mapping[str, Any]) -> Iterator[tuple[list[str | int], str]]:
    """Yield the path and the event of each handler that runs `cognitive hook`."""
    for name, groups in settings.get("hooks", {}).items():
        for number, group in enumerate(groups):
            for place, handler in enumerate(group.get("hooks", [])):
                if (event := event_of(handler)) is not None:
                    yield ["hooks", name, number, "hooks", place], event


def _at(settings: Any, path: Iterable[str | int]) -> Any:
    for key in path:
        settings = settings[key]
    return settings


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
