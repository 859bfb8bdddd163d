"""Look at this machine, the model and the database, each by itself, and judge what was found, a row per check."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from brain import opening
from brain.agents import models, unsorted
from brain.deadline import Deadline
from brain.embedding.minilm import MiniLM
from brain.errors import CognitiveError, EmbeddingError, JournalError, PolicyError, StoreError
from brain.journal import Journal, journal_name
from brain.postgres.health import DatabaseHealth
from brain.postgres.health import examine as look
from brain.postgres.reading import Replica, compared
from brain.settings import Settings, from_environment
from cognitive import admin
from cognitive.doctor import database, machine
from cognitive.doctor.facts import UNREACHABLE, Facts, HostFacts, ModelFacts, SpaceFacts, Status, Verdict
from cognitive.policy import Policy
from cognitive.policy.configured import live_policy

_MIN_SIMILARITY = 0.85  # of the letters: a name that is so near to a setting's was meant to be it
_SENTENCES = ("The migration of the database runs at noon.", "At twelve o'clock the database will be migrated.")

Judge = Callable[[Facts], Verdict]
ReportProgress = Callable[[str], None]  # told what is looked at next
Embed = Callable[[Sequence[str]], Coroutine[Any, Any, Any]]  # from texts to a row of numbers for each


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `unknown`: it could not look, since another check failed. `fix` is empty if nothing is to be
    done; with "ok" it is what could be.
    """

    check: str
    status: Status
    detail: str
    fix: str = ""


async def examine(report_progress: ReportProgress = lambda _: None) -> tuple[Finding, ...]:
    """Every check, in its order. Raises nothing: what cannot be looked at is a finding."""
    report_progress("this machine")
    settings, problem = _settings()
    host = await asyncio.to_thread(_host, settings)
    report_progress("the embedding model")
    model = await asyncio.to_thread(_model, settings)
    report_progress("the database")
    facts = Facts(replace(host, settings=problem), model, _address(settings), settings.database_url is None)
    if problem is not None:  # where the database is, nobody knows
        return judge_all(replace(facts, unreachable="the settings cannot be read"))
    try:
        facts = replace(facts, spaces=await asyncio.to_thread(_embedding_models))
        health, spaces = await _database(settings, facts.spaces)
        facts = replace(facts, database=health, spaces=spaces, replica=await _replica(settings))
        facts = replace(facts, opening_error=await _opening_error(settings) if health.migrated else None)
    except CognitiveError as error:
        facts = replace(facts, unreachable=str(error))
    return judge_all(facts)


async def _opening_error(settings: Settings) -> str | None:
    """Why no layer opens on a database of one's own; on the embedded one, opening is what mends it."""
    if settings.database_url is None:
        return None
    database = opening.connections(settings.database_url, settings)
    try:
        await database.open()
    except StoreError as error:
        return str(error)
    finally:
        await database.close()
    return None


async def _replica(settings: Settings) -> Replica | None:
    if settings.database_url is None or settings.replica_url is None:
        return None
    return await compared(settings.database_url, settings.replica_url)


async def examine_layer(
    url: str, own: bool, journal: Journal, embed: Embed, model: str, seconds: float, replica: Replica | None = None
) -> Facts:
    """What a layer that runs stands on: its own database, journal and model, each within so many seconds. Raises
    nothing: what does not answer is a fact too. `own` says that the database is the one that we bring.
    """
    settings, problem = _settings()
    host, of_model, database = await asyncio.gather(
        asyncio.to_thread(_host, settings, journal), _embedded(embed, model, seconds), _answer(url, seconds)
    )
    facts = Facts(
        replace(host, settings=problem),
        of_model,
        "the embedded server" if own else _without_secrets(url),
        own,
        spaces=SpaceFacts((model,), hidden="`cognitive doctor` asks for them"),
        replica=replica,
    )
    return replace(facts, unreachable=database) if isinstance(database, str) else replace(facts, database=database)


async def _answer(url: str, seconds: float) -> DatabaseHealth | str:
    """The database, or why it is away."""
    try:
        return await Deadline(seconds * 1000).within(look(url))
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except CognitiveError as error:
        return str(error)


async def _embedded(embed: Embed, model: str, seconds: float) -> ModelFacts:
    bundled, began = model == MiniLM.model, perf_counter()
    try:
        one, other = await Deadline(seconds * 1000).within(embed(_SENTENCES))
    except (CognitiveError, TimeoutError) as error:
        return ModelFacts(model, error=str(error) or f"no vectors within {seconds:g} s", bundled=bundled)
    return ModelFacts(model, len(one), float(one @ other), perf_counter() - began, bundled=bundled)


def _settings() -> tuple[Settings, str | None]:
    """The settings; where one makes no sense, those that remain without any."""
    try:
        return from_environment(), None
    except PolicyError as error:
        return Settings.model_construct(), str(error)


def _host(settings: Settings, journal: Journal | None = None) -> HostFacts:
    policies, problem = _policies(settings)
    directory = settings.directory
    unusable = _unusable(directory)
    standing = next((place for place in (directory, *directory.parents) if place.is_dir()), None)
    host = HostFacts(
        unknown=_unknown(os.environ),
        policy=problem,
        policies=policies,
        directory=str(directory),
        unusable=unusable,
        free=shutil.disk_usage(standing).free if standing is not None else None,
        failures=settings.breaker_failures,
    )
    return _with_journal(host, journal or Journal(directory / "journal" / journal_name(settings.database_url)))


def _policies(settings: Settings) -> tuple[tuple[str, ...], str | None]:
    """The files that are in effect, and what is wrong with the first that is none."""
    try:
        live_policy(settings)
        if settings.shadow_policy is not None:
            Policy.load(settings.shadow_policy)
    except PolicyError as error:
        return (), str(error)
    named = (
        ("policy", settings.policy),
        ("model limits", settings.model_limits),
        ("shadow policy", settings.shadow_policy),
    )
    return tuple(f"{name} {path}" for name, path in named if path is not None), None


def _unknown(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Variables that are named nearly as a setting."""
    known = [f"COGNITIVE_{name.upper()}" for name in Settings.model_fields]
    given = [name for name in sorted(environment) if name.startswith("COGNITIVE") and name not in known]
    meant = [(name, get_close_matches(name, known, n=1, cutoff=_MIN_SIMILARITY)) for name in given]
    return tuple((name, detail[0]) for name, detail in meant if detail)


def _unusable(directory: Path) -> str | None:
    """Why nothing can be kept in a directory; one that is not there yet is made when it is needed."""
    place = next((place for place in (directory, *directory.parents) if place.exists()), directory)
    try:
        with TemporaryFile(dir=place):
            return None
    except OSError as error:
        return f"nothing can be written ({error.strerror})"


def _with_journal(host: HostFacts, journal: Journal) -> HostFacts:
    try:
        pending, parked = journal.count(), journal.count(parked=True)
    except JournalError as error:
        return replace(host, journal=str(journal.path), unreadable=str(error))
    return replace(host, journal=str(journal.path), pending=pending, parked=parked)


def _model(settings: Settings) -> ModelFacts:
    model = MiniLM(settings.cache_dir, threads=1)
    began = perf_counter()
    try:
        one, other = model.embed(_SENTENCES)
    except Exception as error:  # whatever a broken file makes of it, it is a finding
        return ModelFacts(MiniLM.model, error=f"{type(error).__name__}: {error}")
    return ModelFacts(MiniLM.model, len(one), float(one @ other), perf_counter() - began)


def _embedding_models() -> SpaceFacts:
    """The embedding models that the settings name."""
    try:
        return SpaceFacts(models=tuple(each.model for each in admin.embedders_with(None)[0]))
    except EmbeddingError as error:
        return SpaceFacts(error=str(error))


async def _database(settings: Settings, spaces: SpaceFacts) -> tuple[DatabaseHealth, SpaceFacts]:
    async with AsyncExitStack() as stack:
        url = all_seeing = settings.database_url
        if url is None or all_seeing is None:
            urls = await stack.enter_async_context(opening.embedded(settings))
            url, all_seeing = urls.app, urls.admin
        health = await look(url)
        try:
            return health, replace(spaces, agents=await models(all_seeing), unindexed=await unsorted(all_seeing))
        except StoreError as error:
            return health, replace(spaces, hidden=str(error))


def _address(settings: Settings) -> str:
    """Where the database should be; nothing secret."""
    if settings.database_url is None:
        return "the embedded server"
    return _without_secrets(settings.database_url)


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(("postgresql", parts.netloc.rpartition("@")[2], parts.path, "", ""))


# --- judging the facts ---


def _of_database(judge: Callable[[DatabaseHealth], Verdict]) -> Judge:
    """A check that knows nothing while the database is away."""

    def judge_all(facts: Facts) -> Verdict:
        return judge(facts.database) if facts.database is not None else UNREACHABLE

    return judge_all


CHECKS: Mapping[str, Judge] = {
    "settings": machine.settings,
    "policy": machine.policy,
    "data directory": machine.directory,
    "disk": machine.disk,
    "journal": machine.journal,
    "breaker": machine.breaker,
    "embedding model": machine.model,
    "database": database.reachable,
    "server": _of_database(database.server),
    "pgvector": _of_database(database.pgvector),
    "roles": _of_database(database.roles),
    "dashboard roles": _of_database(database.dashboard_roles),
    "migrations": database.migrations,
    "opening": database.opening,
    "row level security": _of_database(database.row_security),
    "indexes": _of_database(database.indexes),
    "statistics": _of_database(database.statistics),
    "bloat": _of_database(database.bloat),
    "agent models": database.spaces,
    "large agents": database.vector_index,
    "clock": _of_database(database.clock),
    "replica": database.replica,
}


def judge_all(facts: Facts) -> tuple[Finding, ...]:
    """Every check, in its order."""
    return tuple(Finding(name, *judge(facts)) for name, judge in CHECKS.items())


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether no check failed; what could not be looked at is not well either."""
    return all(finding.status in ("ok", "warning") for finding in findings)
