"""What a small model said when it was asked to choose: the names it meant, or the kind of its failure.

Models wrap JSON in thoughts, fences and prose, repeat themselves, and invent names. All of that is tolerated; what
cannot be read is told apart by its cause, since an answer that was cut off wants another remedy than an empty one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Failure = Literal[
    "empty",  # nothing was said
    "thinking_only",  # thoughts, and then nothing: a reasoning model that ran out before it answered
    "length",  # the answer was cut off
    "safety",  # the provider withheld it
    "unreadable",  # there is an answer, and no JSON in it
    "unknown_names",  # it names tools that do not exist, and no others
]

MOST_PICKED = 12  # the seed's bound; LEAST_PICKED is asked for, and filled up by ranking where fewer come
LEAST_PICKED = 3
_MOST_READ = 100_000  # characters of an answer
_MOST_TRIES = 64  # braces at which JSON might begin
_THOUGHTS = (("<think>", "</think>"), ("<reasoning>", "</reasoning>"), ("[REASONING]", "[/REASONING]"))
_KEYS = ("ids", "tools", "names", "selected")
_NAMES = ("id", "name", "tool")

# What providers call the reason for which an answer ended, where it says more than that it did.
FINISHES: Mapping[str, Failure] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "content_filter": "safety",
    "safety": "safety",
    "refusal": "safety",
    "prohibited_content": "safety",
    "recitation": "safety",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model returned, with the reason it stopped for, if the caller knows it."""

    text: str
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Picked:
    """The known names in the order of the answer, each once; `none` says that the model found no tool that fits."""

    names: tuple[str, ...] = ()
    failure: Failure | None = None
    none: bool = False


def read(completion: Completion, known: Sequence[str]) -> Picked:
    """The tools that an answer names, at most `MOST_PICKED`, as they are spelled in `known`."""
    text, thought = _without_thoughts(completion.text[:_MOST_READ])
    finish = FINISHES.get((completion.finish_reason or "").casefold())
    if not text.strip():
        return Picked(failure=finish or ("thinking_only" if thought else "empty"))
    said = _names(text)
    if said is None:
        return Picked(failure=finish or ("length" if _is_cut_off(text) else "unreadable"))
    spelled = {name.casefold(): name for name in reversed(known)} | {name: name for name in known}
    found = (spelled.get(name, spelled.get(name.casefold())) for name in said)
    picked = tuple(dict.fromkeys(name for name in found if name is not None))[:MOST_PICKED]
    if picked:
        return Picked(picked)
    return Picked(failure="unknown_names") if said else Picked(none=True)


def _without_thoughts(text: str) -> tuple[str, bool]:
    """The answer behind the last thought; thoughts that never ended leave no answer."""
    thought = False
    for opening, closing in _THOUGHTS:
        if closing in text:
            text, thought = text.rpartition(closing)[2], True
        if opening in text:
            text, thought = text.partition(opening)[0], True
    return text, thought


def _names(text: str) -> list[str] | None:
    """The names in the first JSON value that holds a list of them, None if there is none."""
    decoder, at = json.JSONDecoder(), -1
    for _ in range(_MOST_TRIES):
        at = min((found for brace in "{[" if (found := text.find(brace, at + 1)) >= 0), default=-1)
        if at < 0:
            return None
        try:
            names = _listed(decoder.raw_decode(text, at)[0])
        except (ValueError, RecursionError):
            continue
        if names is not None:
            return names
    return None


def _listed(value: Any) -> list[str] | None:
    if isinstance(value, Mapping):
        value = next((value[key] for key in _KEYS if key in value), None)
    return list(_strings(value)) if isinstance(value, list) else None


def _strings(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        name = next((value[key] for key in _NAMES if key in value), None) if isinstance(value, Mapping) else value
        if isinstance(name, str):
            yield name.strip()


def _is_cut_off(text: str) -> bool:
    return text.count("{") + text.count("[") > text.count("}") + text.count("]")
