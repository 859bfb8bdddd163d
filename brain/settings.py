"""What the environment says: read here and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from brain.errors import PolicyError


class Settings(BaseSettings):
    """Settings from the environment, each as COGNITIVE_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="COGNITIVE_", env_ignore_empty=True, frozen=True, extra="ignore")

    database_url: str | None = None  # None: the embedded server
    data_dir: Path | None = None  # None: the user's data directory
    cache_dir: Path | None = None  # None: the user's cache directory; holds the prepared embedding model
    pool_size: Annotated[int, Field(ge=1, le=100)] = 8
    policy: Path | None = None  # a TOML file with a policy


def from_environment() -> Settings:
    """The settings.

    Raises:
        PolicyError: a setting that makes no sense; the message names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise PolicyError(f"COGNITIVE_{str(problem['loc'][0]).upper()}: {problem['msg']}") from None
