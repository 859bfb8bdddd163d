"""The tools and model settings of one model call of the OpenAI Agents SDK."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from cognitive.extras import extra

with extra("openai-agents"):
    from agents import Agent, Model, ModelSettings, RunConfig, Tool
    from agents.models import get_default_model, get_default_model_settings


def with_demanded_tool(selected: list[Tool], tools: list[Tool], settings: ModelSettings) -> list[Tool]:
    """Return the selected tools, and any other tool that the caller's `tool_choice` names.

    If the caller requires a call of any tool and none was selected, return all tools. Providers refuse a choice that is
    not among the tools.
    """
    demanded = [each for each in tools if each.name == settings.tool_choice and each not in selected]
    return tools if settings.tool_choice == "required" and not selected else selected + demanded


def with_defaults(settings: ModelSettings, agent: Agent[Any], config: RunConfig) -> ModelSettings:
    """Return the model settings, completed by the SDK's defaults for the model's name.

    The SDK itself leaves these defaults out if the model is an object, as `_TurnModel` is. The `tool_choice` stays
    unchanged, because the runner resets it itself.
    """
    base = agent.model_settings
    if config.model is not None:
        base = _defaults(config.model) if base == _defaults(agent.model) else ModelSettings()
    return dataclasses.replace(base.resolve(settings), tool_choice=settings.tool_choice)


def _defaults(model: str | Model | None) -> ModelSettings:
    return ModelSettings() if isinstance(model, Model) else get_default_model_settings(model or get_default_model())


def with_thinking(settings: ModelSettings, level: str | None) -> ModelSettings:
    """Return the settings with the planned level of thinking.

    Settings without `reasoning` stay unchanged, because models that do not reason would refuse the level.
    """
    if level is None or settings.reasoning is None:
        return settings
    reasoning = settings.reasoning.model_copy(update={"effort": _EFFORT.get(level, level)})
    return dataclasses.replace(settings, reasoning=reasoning)


# All reasoning models accept low, medium and high; some refuse the other levels.
_EFFORT: Mapping[str, str] = {"off": "low", "minimal": "low", "xhigh": "high"}
