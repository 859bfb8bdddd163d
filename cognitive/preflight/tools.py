"""The tools that stay: the last step behind every access policy, which can only take away.

A tool that no category names stays: an allow-list would take away every tool that its author did not think of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cognitive.policy import Policy
from cognitive.preflight.categories import table
from cognitive.preflight.needs import Needs

Names = tuple[str, ...]


def keep(given: Sequence[str], needs: Needs, policy: Policy, learned: Collection[str] = ()) -> tuple[Names, Names]:
    """The names kept of those given and those taken away, in their order.

    `learned` are kept as if a category named them.
    """
    if not policy.tool_filtering or needs.whole:
        return tuple(given), ()
    unwanted = table(policy).known.difference(needs.tools, policy.always_include, learned)
    return tuple(n for n in given if n not in unwanted), tuple(n for n in given if n in unwanted)
