"""Find the categories of work that a tool is for: those that it states, and those that its name shows.

Names are compared without case and by their words: "ReadFile", "read-file" and "read_file" are the same name. A tool of
an MCP server, such as "mcp__files__read_file", is compared with and without the name of the server.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from brain.caches import cached
from cognitive.preflight.rules.matching import RuleTable
from cognitive.preflight.rules.tool_names import TOOL_KINDS, TOOL_NAME_RULES
from cognitive.tool import Tool

_MAX_CACHED = 16_384  # names, some 300 bytes each
_MAX_LENGTH = 200  # characters of a name that are read
_SERVER_END = re.compile(r"__|[.:/]")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+|[^\x00-\x7f]+")
_NO_SERVER = frozenset({"mcp", "function", "functions", "tool", "tools", "default", "builtin"})

_rules = RuleTable(TOOL_NAME_RULES)


@cached(_MAX_CACHED)
def words(name: str) -> tuple[str, str]:
    """Return the lower-case words of a tool's name and of its server's name, each joined by blanks.

    "mcp__github__getIssue" gives ("get issue", "github"). The server is empty if the name has none.
    """
    parts = [" ".join(_WORD.findall(part)).lower() for part in _SERVER_END.split(name[:_MAX_LENGTH])]
    *servers, tool = [part for part in parts if part] or [""]
    return tool, " ".join(part for part in servers if part not in _NO_SERVER)


def is_named(name: str, names: Collection[str]) -> bool:
    """Return True if a tool's name is one of the given names, with or without its server."""
    return not _keys(name).isdisjoint(map(_whole, names))


def by_name(names: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return the categories of each name as `categories_of` needs them, from the names of each category's tools."""
    table = dict[str, frozenset[str]]()
    for category, tools in names.items():
        for tool in tools:
            table[_whole(tool)] = table.get(_whole(tool), frozenset()) | {category}
    return table


def categories_of(name: str, table: Mapping[str, frozenset[str]], defined: frozenset[str]) -> frozenset[str]:
    """Return the categories that a tool's name shows.

    Args:
        name: The name of the tool.
        table: The categories of the names that the policy's categories list; see `by_name`.
        defined: The categories that the policy defines.
    """
    listed = (table[key] for key in _keys(name) if key in table)
    return (_recognised(name) & defined).union(*listed)


def stated_by(tool: Tool, defined: frozenset[str]) -> frozenset[str]:
    """Return the categories that a tool states, in the spelling of those that the policy defines, without case."""
    if not tool.category:
        return frozenset()
    stated = (tool.category,) if isinstance(tool.category, str) else tool.category
    spellings = {name.casefold(): name for name in defined}
    return frozenset(name if name in defined else spellings.get(name.casefold(), name) for name in stated)


def _whole(name: str) -> str:
    """Return the words of a name with its server; the name itself if it has no words."""
    tool, server = words(name)
    return f"{server} {tool}".strip() or name


@cached(_MAX_CACHED)
def _keys(name: str) -> frozenset[str]:
    return frozenset({words(name)[0] or name, _whole(name)})


@cached(_MAX_CACHED)
def _recognised(name: str) -> frozenset[str]:
    tool, server = words(name)
    fired = _rules.fired((f"{server}: {tool}" if server else tool).encode())
    return frozenset(category for rule in fired for category in TOOL_KINDS[rule.signal])
