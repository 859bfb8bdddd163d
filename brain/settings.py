"""What the environment says: read here and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from brain.errors import PolicyError


class Settings(BaseSettings):
    """Settings from the environment, each as COGNITIVE_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="COGNITIVE_", env_ignore_empty=True, frozen=True, extra="ignore")

    database_url: str | None = None  # None: the embedded server
    replica_url: str | None = None  # a standby of it, which those ask who only look; turns and writes never do
    server_user: str | None = (
        None  # the system user whom the embedded server runs as under root; None: postgres, nobody
    )
    data_dir: Path | None = None  # None: the user's data directory
    cache_dir: Path | None = None  # None: the user's cache directory; holds the prepared embedding model
    # The embedding models of this process, with commas: minilm, wordllama, sentence-transformers:MODEL, or
    # package.module:maker. The first is for agents without vectors; which one an agent's reads use, the database names.
    embedding_models: str = "minilm"
    pool_size: Annotated[int, Field(ge=1, le=100)] = 8
    pooler: Literal["none", "transaction"] = "none"  # between here and the server; transaction: PgBouncer in that mode
    cluster: Literal["none", "citus"] = "none"  # what database_url leads to; citus: the coordinator of a Citus cluster
    breaker_failures: Annotated[int, Field(ge=0)] = 5  # in a row until Postgres is asked no more; 0: it always is
    breaker_wait: Annotated[float, Field(gt=0)] = 0.25  # seconds until a probe, doubled each time: what a turn may take
    breaker_longest_wait: Annotated[float, Field(gt=0)] = 5.0  # between probes: so long a turn may miss who is back
    policy: Path | None = None  # a TOML file with a policy
    models: Path | None = None  # a TOML file with further rows for the table of models
    tokens: Path | None = None  # a TOML file with the server's tokens; None: tokens.toml in the data directory
    redact: str | None = None  # "patterns", or "module:function" from a text to what may be stored of it
    shadow_policy: Path | None = None  # one more, which is run beside it and changes nothing

    @property
    def embedders(self) -> tuple[str, ...]:
        """The names of the embedding models."""
        return tuple(name.strip() for name in self.embedding_models.split(",") if name.strip())

    @property
    def directory(self) -> Path:
        """The data directory: as configured, or else the user's own."""
        if self.data_dir is not None:
            return self.data_dir.expanduser().resolve()
        return Path("/var/lib/cognitive-layer") if os.geteuid() == 0 else platformdirs.user_data_path("cognitive-layer")


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
