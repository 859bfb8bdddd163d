"""The hooks in an agent's settings: what is there, what would be with ours, and without. Texts in, texts out.

Claude Code's `settings.json` and Codex' `hooks.json` have one form. Whatever else stands in the file stays, in its
order; a text that needs no change comes back byte for byte.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cognitive.hook.protocol import EVENTS

# Those that all versions know: a name that an agent does not know can cost the whole file. The two that are left out
# tell of failures, which the transcript tells as well.
CLAUDE_EVENTS = ("session-start", "user-prompt-submit", "post-tool-use", "stop", "session-end")
CODEX_EVENTS = ("session-start", "user-prompt-submit", "post-tool-use", "stop")
TIMEOUT = 10  # seconds after which the agent gives a hook up; ours gives itself up long before


def with_hooks(text: str, command: Callable[[str], str], events: Iterable[str]) -> str:
    """The settings with a command for each event: ours is replaced where it stands, or else added behind the others.

    Raises:
        ValueError: the text is no JSON, or not of the form that the agents document; nothing would be safe to change.
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
    """The settings without our hooks, and without what held nothing else.

    Raises:
        ValueError: as `with_hooks`.
    """
    settings = _read(text)
    hooks = settings.get("hooks", {})
    for name, groups in list(hooks.items()):
        kept = []
        for group in groups:
            others = [handler for handler in group.get("hooks", []) if event_of(handler) is None]
            if len(others) == len(group.get("hooks", [])):
                kept.append(group)
            elif others:
                kept.append({**group, "hooks": others})
        if kept or not groups:
            hooks[name] = kept
        else:
            del hooks[name]
    if not hooks and _read(text).get("hooks"):
        del settings["hooks"]
    return _to_text(settings, text)


def hook_commands(text: str) -> dict[str, str]:
    """Our events in the settings, each with its command.

    Raises:
        ValueError: as `with_hooks`.
    """
    handlers = (
        handler
        for groups in _read(text).get("hooks", {}).values()
        for group in groups
        for handler in group.get("hooks", [])
    )
    return {event: handler["command"] for handler in handlers if (event := event_of(handler)) is not None}


def event_of(handler: Mapping[str, Any]) -> str | None:
    """The event that a handler of ours is for; None of anybody else's."""
    try:
        words = shlex.split(str(handler.get("command", "")))
    except ValueError:  # a quotation that is not closed: not ours
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
    """An object, unless it has a key twice: written back, it would lose one of them."""
    read = dict(pairs)
    if len(read) < len(pairs):
        raise ValueError(f"has a key twice in one object: {', '.join(sorted(read))}")
    return read


def _to_text(settings: dict[str, Any], before: str) -> str:
    """The settings as text, indented and escaped as they were; the very text, if they say the same."""
    if before.strip() and settings == _read(before):
        return before
    indent = re.search(r"^[ \t]+(?=\")", before, re.MULTILINE)
    text = json.dumps(settings, indent=indent.group() if indent else 2, ensure_ascii="\\u" in before)
    return text + "\n" if not before.strip() or before.endswith("\n") else text
