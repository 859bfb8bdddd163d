"""Read the settings of a process from the environment variables COGNITIVE_….

Other modules read only the variables of other programs, such as PGHOST. The hook commands read a few more variables.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from brain.errors import PolicyError

_MIN_SIMILARITY = 0.85  # of letters, at which a variable probably is a misspelt setting


class Settings(BaseSettings):
    """The settings of a process. Each field is read from the environment variable COGNITIVE_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="COGNITIVE_", env_ignore_empty=True, frozen=True, extra="ignore")

    database_url: str | None = None
    """URL of the database. If unset, this process starts and uses the embedded server."""

    replica_url: str | None = None
    """URL of a standby that the dashboard and reports read; turns and writes use the primary. Set it if the dashboard
    slows down turns."""

    server_user: str | None = None
    """System user of the embedded server under root. If unset: `postgres`, else `nobody`."""

    data_dir: Path | None = None
    """Directory of the embedded server and the journal. If unset: the user's data directory."""

    cache_dir: Path | None = None
    """Directory of the prepared embedding model. If unset: the user's cache directory."""

    embedding_models: str = "minilm"
    """Embedding models of this process, separated by commas: minilm, wordllama, sentence-transformers:MODEL, or
    package.module:maker. The first serves agents without vectors; the database names the model of every other agent."""

    pool_size: Annotated[int, Field(ge=1, le=100)] = 8
    """Maximum number of database connections. Raise it if many turns run at once."""

    pooler: Literal["none", "transaction", "prepared"] = "none"
    """Pooler between this process and the server: none, PgBouncer in transaction mode, or one that also keeps prepared
    statements (from 1.21 on, with max_prepared_statements)."""

    cluster: Literal["none", "citus"] = "none"
    """Kind of server behind the database URL: the coordinator of a Citus cluster, or a single server."""

    breaker_failures: Annotated[int, Field(ge=0)] = 5
    """Consecutive failures that open the circuit breaker; 0 disables it."""

    breaker_wait: Annotated[float, Field(gt=0)] = 0.25
    """Seconds until the open circuit breaker's first probe, doubled after each failed probe."""

    breaker_max_wait: Annotated[float, Field(gt=0)] = 4.0
    """Maximum number of seconds between two probes of the open circuit breaker."""

    policy: Path | None = None
    """TOML file with the host's policy."""

    model_limits: Path | None = None
    """TOML file with further rows of model limits."""

    token_file: Path | None = None
    """TOML file with the server's tokens. If unset: tokens.toml in the data directory."""

    redact: str | None = None
    """Redaction of stored text: "patterns", or "module:function", a function from a text to its redacted form."""

    shadow_policy: Path | None = None
    """TOML file with a policy that runs as a shadow, without effect on turns."""

    @property
    def embedders(self) -> tuple[str, ...]:
        """The names of the embedding models, in the order of the setting `embedding_models`."""
        return tuple(name.strip() for name in self.embedding_models.split(",") if name.strip())

    @property
    def directory(self) -> Path:
        """The data directory: `data_dir`, or the user's data directory if unset.

        For root it is /var/lib/cognitive-layer.
        """
        if self.data_dir is not None:
            return self.data_dir.expanduser().resolve()
        return Path("/var/lib/cognitive-layer") if os.geteuid() == 0 else platformdirs.user_data_path("cognitive-layer")


def from_environment() -> Settings:
    """Read the settings from the environment variables and return them.

    Raises:
        PolicyError: a value is invalid; the message names the variable.
    """
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise PolicyError(f"COGNITIVE_{str(problem['loc'][0]).upper()}: {problem['msg']}") from None


def misspelled(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that probably misspell a setting, each with the name of that setting."""
    known = [f"COGNITIVE_{name.upper()}" for name in Settings.model_fields]
    unknown = [name for name in sorted(environment) if name.startswith("COGNITIVE") and name not in known]
    matches = [(name, get_close_matches(name, known, n=1, cutoff=_MIN_SIMILARITY)) for name in unknown]
    return tuple((name, similar[0]) for name, similar in matches if similar)
