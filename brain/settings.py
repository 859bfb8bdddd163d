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

    model_config = SettingsConfigDict(
        env_prefix="COGNITIVE_", env_ignore_empty=True, frozen=True, extra="ignore", use_attribute_docstrings=True
    )

    database_url: str | None = None
    """URL of the database. Without one the embedded server of this machine is started and used."""

    replica_url: str | None = None
    """URL of a standby of the database, for those who only look: the dashboard and reports. Turns and writes never use
    it. Set it where the dashboard slows down the turns."""

    server_user: str | None = None
    """System user whom the embedded server runs as under root. Without one it is postgres, or else nobody."""

    data_dir: Path | None = None
    """Directory of the embedded server and the journal. Without one it is the user's data directory."""

    cache_dir: Path | None = None
    """Directory of the prepared embedding model. Without one it is the user's cache directory."""

    embedding_models: str = "minilm"
    """Embedding models of this process, with commas: minilm, wordllama, sentence-transformers:MODEL, or
    package.module:maker. The first is for agents without vectors; the database names the one that an agent's reads
    use."""

    pool_size: Annotated[int, Field(ge=1, le=100)] = 8
    """Connections to the database, from 1 to 100. Raise it where many turns run at once."""

    pooler: Literal["none", "transaction"] = "none"
    """Pooler between this process and the server; transaction means PgBouncer in that mode."""

    cluster: Literal["none", "citus"] = "none"
    """What the URL of the database leads to; citus means the coordinator of a Citus cluster."""

    breaker_failures: Annotated[int, Field(ge=0)] = 5
    """Consecutive failures that open the circuit breaker, from 0; 0 disables it."""

    breaker_wait: Annotated[float, Field(gt=0)] = 0.25
    """Seconds until the open breaker's first probe, above 0, doubled each time. The default is what a turn may take."""

    breaker_max_wait: Annotated[float, Field(gt=0)] = 5.0
    """Longest time between two probes, in seconds, above 0: a turn may miss for so long that the database is back."""

    policy: Path | None = None
    """TOML file with a policy."""

    model_limits: Path | None = None
    """TOML file with further rows for the table of models."""

    token_file: Path | None = None
    """TOML file with the server's tokens. Without one it is tokens.toml in the data directory."""

    redact: str | None = None
    """Redaction of what is stored: "patterns", or "module:function" from a text to what may be stored of it."""

    shadow_policy: Path | None = None
    """TOML file with a policy that is run beside the other and changes nothing."""

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
