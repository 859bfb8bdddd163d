"""Define the eight categories of work: what their turns need, and the score from which they apply.

Weights, thresholds, tools, caps and thinking levels follow an existing pre-flight planner; the reasons for differences
are in docs/decisions/0017-preflight.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cognitive.plan import Caps, Thinking

# Caps of an unclassified message. Caps of at least this size do not lower the budget of the frame.
FULL = Caps(15, 500)
FALLBACK_THINKING: Thinking = "low"


@dataclass(frozen=True, slots=True)
class CategoryDefinition:
    """A category of work, such as research: how messages are scored for the category, and what its turns need.

    The category applies to a message with a score of at least `threshold`. `weight` is the default weight of its rules
    in the score. `structure` maps structural signals (see `message_shape`) to weights. `tools` are the names of the
    tools that the category needs.
    """

    name: str
    weight: float
    threshold: float
    tools: tuple[str, ...]
    caps: Caps
    thinking: Thinking
    structure: Mapping[str, float] = field(default_factory=dict)
    whole: bool = False  # every tool is kept
    alone: bool = False  # if it fires, no other category does
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()


CATEGORY_DEFINITIONS: tuple[CategoryDefinition, ...] = (
    CategoryDefinition(
        "casual", 3, 3, ("message",), Caps(0, 0), "off",
        # Detected by the small talk rules and not by length: "fix the build" has 13 characters.
        {"small_talk": 3, "emoji_only": 5}, alone=True,
        examples=("hey", "yo", "sup", "thanks", "good morning!", "how are you?", "\U0001f44d", "\u2764\ufe0f", "ok"),
        counterexamples=("123", "fix the build", "hey, what did we decide about Redis?", "Redis", "who am I?"),
    ),
    CategoryDefinition(
        "research", 2, 3, ("exec", "web_fetch", "web_search", "message", "read"), Caps(10, 400), "low",
        {"url": 3, "question": 2, "someone": 1},
        examples=("search for flights to Rome", "What is the capital of Peru?", "https://example.org/post",
                  "look up the opening hours", "who is the mayor of Graz?", "compare the two phones, which is better?"),
        counterexamples=("my train is late", "is it?", "the pie is in the oven"),
    ),
    CategoryDefinition(
        "coding", 2, 3, ("exec", "read", "write", "edit", "apply_patch", "process", "message"), Caps(5, 200), "medium",
        {"path": 3, "fence": 4, "inline_code": 2},
        examples=("fix the build", "debug this function", "look at src/app/main.py", "```\nx = 1\n```",
                  "write a unit test", "commit my changes"),
        counterexamples=("I made an error", "the movie was a bug", "e.g. this one", "see example.com"),
    ),
    CategoryDefinition(
        "crypto", 2, 3, ("exec", "message", "web_fetch", "web_search"), Caps(8, 300), "medium",
        {"amount": 2, "address": 3, "base58": 2},
        examples=("swap 1 SOL for USDC", "what's my wallet balance?", "the price of bitcoin", "mint an NFT",
                  "0x52908400098527886e0f7030069857d2e4169ee7"),
        counterexamples=("the base is made of stone", "it costs $20", "rotate the API token", "sol", "base"),
    ),
    CategoryDefinition(
        "media", 3, 3, ("exec", "message"), Caps(3, 150), "off",
        {"image": 3, "audio": 3, "video": 3},
        examples=("draw a cat", "generate an image of a fox", "transcribe this", "read it out loud", "a voice note"),
        counterexamples=("what did she say?", "build the docker image", "draw a conclusion", "send a report", "ray"),
    ),
    CategoryDefinition(
        "monitoring", 2, 3, ("exec", "message"), Caps(3, 150), "off",
        examples=("gpu status", "how much VRAM is used?", "check disk", "are the services up?", "server uptime"),
        counterexamples=("ram", "top", "the ram jumped over the fence", "the status of my order", "health food"),
    ),
    CategoryDefinition(
        "memory", 3, 3, ("memory_search", "memory_get", "message"), Caps(25, 1000), "low",
        {"question": 1, "someone": 3},
        examples=("what did we decide about Redis?", "do you remember it?", "last time we met", "you said so",
                  "remember that I like tea", "what happened yesterday?"),
        counterexamples=("memory usage of the box", "run the tests before the deploy", "a memorable day"),
    ),
    CategoryDefinition(
        "complex", 2, 4, (), FULL, "high",
        {"long": 3, "longish": 1, "sentences": 2, "numbered": 2, "many_questions": 3, "two_questions": 1, "short": -3},
        whole=True,
        examples=("First gather the numbers of the last three years from the archive, and then analyze them step by "
                  "step. Write down whatever looks odd. Plan the interviews that follow from it. Tell me early if "
                  "something is missing, and keep the people from the archive in the loop, since they have to approve "
                  "what we publish. Thanks.",),
        counterexamples=("next", "also", "what is the plan?", "analyze it"),
    ),
)  # fmt: skip
