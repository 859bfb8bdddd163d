"""Collect facts about this machine, the embedding model and the database, and run each check on them."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any

from brain import opening
from brain.agents import degraded_turns, models, parked_turns, unsorted, without_users
from brain.deadline import Deadline
from brain.embedding.minilm import MiniLM
from brain.errors import CognitiveError, EmbeddingError, JournalError, PolicyError, StoreError, StoreUnavailable
from brain.journal import Journal, journal_name
from brain.postgres.health import DatabaseHealth
from brain.postgres.health import examine as examine_database
from brain.postgres.reading import Replica, compared
from brain.postgres.refusals import public_address
from brain.settings import Settings, from_environment, misspelled
from brain.trial import run_trial
from cognitive import admin
from cognitive.doctor import database, machine
from cognitive.doctor.facts import UNREACHABLE, Facts, HostFacts, ModelFacts, SpaceFacts, Status, Verdict
from cognitive.policy import Policy
from cognitive.policy.configured import live_policy

_SENTENCES = ("The migration of the database runs at noon.", "At twelve o'clock the database will be migrated.")

Judge = Callable[[Facts], Verdict]
ReportProgress = Callable[[str], None]  # called with the name of the next part
Embed = Callable[[Sequence[str]], Coroutine[Any, Any, Any]]  # returns a vector per text


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of `cognitive doctor`.

    The status is "unknown" if the check depends on another check that failed, and "skipped" if it was not made here.
    `fix` is the remedy, or empty if there is nothing to do. If the status is "ok", the remedy is only a suggestion.
    """

    check: str
    status: Status
    detail: str
    fix: str = ""


async def examine(report_progress: ReportProgress = lambda _: None) -> tuple[Finding, ...]:
    """Collect the facts, run all checks of `cognitive doctor`, and return their findings in order.

    This raises no exceptions: a fact that cannot be read leads to a finding.
    """
    report_progress("this machine")
    settings, problem = _settings()
    host = await asyncio.to_thread(_host, settings)
    report_progress("the embedding model")
    model = await asyncio.to_thread(_model, settings)
    report_progress("the database")
    facts = Facts(replace(host, settings=problem), model, _address(settings), settings.database_url is None)
    if problem is not None:  # the address of the database is unknown
        return judge_all(replace(facts, unreachable="the settings are invalid"))
    try:
        facts = replace(facts, spaces=await asyncio.to_thread(_embedding_models))
        facts = await _with_database(settings, facts)
        facts = replace(facts, replica=await _replica(settings))
    except CognitiveError as error:
        facts = _unreachable(facts, error)
    return judge_all(facts)


async def _with_trial(facts: Facts, url: str, settings: Settings) -> Facts:
    """Open the database, and store, find and erase a memory. Return the facts with the errors, if there are any."""
    database = opening.connections(url, settings)
    try:
        await database.open()
    except StoreError as error:
        await database.close()
        if facts.embedded:  # a layer brings the embedded server up to date when it opens
            return facts
        return replace(facts, opening_error=error.problem, opening_fix=error.remedy)
    try:
        await run_trial(database)
    except CognitiveError as error:
        return replace(facts, trial_error=str(error))
    finally:
        await database.close()
    return replace(facts, tried=True)


def _unreachable(facts: Facts, error: CognitiveError) -> Facts:
    """Return the facts with the reason why the database does not answer, and the remedy if the error has one."""
    if isinstance(error, StoreError):
        return replace(facts, unreachable=error.problem, unreachable_fix=error.remedy)
    return replace(facts, unreachable=str(error))


async def _replica(settings: Settings) -> Replica | None:
    if settings.database_url is None or settings.replica_url is None:
        return None
    return await compared(settings.database_url, settings.replica_url)


async def examine_layer(
    url: str, own: bool, journal: Journal, embed: Embed, model: str, seconds: float, replica: Replica | None
) -> Facts:
    """Collect facts about a running layer: its database, journal and model, each within a timeout of `seconds`.

    This raises no exceptions: if a part does not answer, this is recorded as a fact. `own` is True if the database is
    the embedded server.
    """
    settings, problem = _settings()
    host, model_facts, health = await asyncio.gather(
        asyncio.to_thread(_host, settings, journal), _embedded(embed, model, seconds), _answer(url, seconds)
    )
    facts = Facts(
        replace(host, settings=problem),
        model_facts,
        "the embedded server" if own else public_address(url),
        own,
        spaces=SpaceFacts((model,), hidden="only `cognitive doctor` reads them"),
        replica=replica,
    )
    if isinstance(health, CognitiveError):
        return _unreachable(facts, health)
    return replace(facts, database=health)


async def _answer(url: str, seconds: float) -> DatabaseHealth | CognitiveError:
    """Return the health of the database at the URL, or the error if it does not answer in `seconds`."""
    try:
        return await Deadline(seconds * 1000).within(examine_database(url))
    except TimeoutError:
        return StoreUnavailable(f"no answer within {seconds:g} s")
    except CognitiveError as error:
        return error


async def _embedded(embed: Embed, model: str, seconds: float) -> ModelFacts:
    bundled, began = model == MiniLM.model, perf_counter()
    try:
        one, other = await Deadline(seconds * 1000).within(embed(_SENTENCES))
    except (CognitiveError, TimeoutError) as error:
        return ModelFacts(model, error=str(error) or f"no vectors within {seconds:g} s", bundled=bundled)
    return ModelFacts(model, len(one), float(one @ other), perf_counter() - began, bundled=bundled)


def _settings() -> tuple[Settings, str | None]:
    """Read the settings. Return them and None, or the default settings and the error if a setting is invalid."""
    try:
        return from_environment(), None
    except PolicyError as error:
        return Settings.model_construct(), str(error)


def _host(settings: Settings, journal: Journal | None = None) -> HostFacts:
    policies, problem = _policies(settings)
    directory = settings.directory
    unusable = _unusable(directory)
    existing = next((each for each in (directory, *directory.parents) if each.is_dir()), None)
    host = HostFacts(
        unknown=misspelled(os.environ),
        policy=problem,
        policies=policies,
        directory=str(directory),
        unusable=unusable,
        free=shutil.disk_usage(existing).free if existing is not None else None,
        failures=settings.breaker_failures,
    )
    return _with_journal(host, journal or Journal(directory / "journal" / journal_name(settings.database_url)))


def _policies(settings: Settings) -> tuple[tuple[str, ...], str | None]:
    """Check the policy files in use. Return their paths and None.

    If a file is invalid, return no paths and the error of the first invalid file.
    """
    try:
        live_policy(settings)
        if settings.shadow_policy is not None:
            Policy.load(settings.shadow_policy)
    except PolicyError as error:
        return (), str(error)
    files = (
        ("policy", settings.policy),
        ("model limits", settings.model_limits),
        ("shadow policy", settings.shadow_policy),
    )
    return tuple(f"{name} {path}" for name, path in files if path is not None), None


def _unusable(directory: Path) -> str | None:
    """Return the reason why files cannot be written in a directory, or None if they can.

    If the directory is missing, its nearest existing parent is checked.
    """
    existing = next((each for each in (directory, *directory.parents) if each.exists()), directory)
    try:
        with TemporaryFile(dir=existing):
            return None
    except OSError as error:
        return f"cannot be written ({error.strerror})"


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
    except Exception as error:  # a broken model file may raise anything, which is a finding
        return ModelFacts(MiniLM.model, error=f"{type(error).__name__}: {error}")
    return ModelFacts(MiniLM.model, len(one), float(one @ other), perf_counter() - began)


def _embedding_models() -> SpaceFacts:
    """Return the embedding models that the settings name, or the error if they cannot be loaded."""
    try:
        return SpaceFacts(models=tuple(each.model for each in admin.embedders_with(None)[0]))
    except EmbeddingError as error:
        return SpaceFacts(error=str(error))


async def _with_database(settings: Settings, facts: Facts) -> Facts:
    async with AsyncExitStack() as stack:
        url = all_seeing = settings.database_url
        if url is None or all_seeing is None:
            urls = await stack.enter_async_context(opening.embedded(settings))
            url, all_seeing = urls.app, urls.admin
        facts = replace(facts, database=await examine_database(url))
        if facts.database is None or not facts.database.migrated:
            return replace(facts, spaces=replace(facts.spaces, hidden="there is no schema yet"))
        facts = await _with_trial(facts, url, settings)
        return replace(facts, spaces=await _with_agents(all_seeing, facts.spaces))


async def _with_agents(url: str, spaces: SpaceFacts) -> SpaceFacts:
    try:
        return replace(
            spaces,
            agents=await models(url),
            unindexed=await unsorted(url),
            turns=await degraded_turns(url),
            without_users=await without_users(url),
            parked_turns=await parked_turns(url),
        )
    except StoreError as error:
        return replace(spaces, hidden=str(error))


def _address(settings: Settings) -> str:
    """Return the address of the configured database without its password."""
    if settings.database_url is None:
        return "the embedded server"
    return public_address(settings.database_url)


# --- judging the facts ---


def _of_database(judge: Callable[[DatabaseHealth], Verdict]) -> Judge:
    """Convert a check of the database's health to a check of all facts.

    The verdict of the new check is "unknown" if the database does not answer.
    """

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
    "dashboard roles": database.dashboard_roles,
    "migrations": database.migrations,
    "opening": database.opening,
    "trial": database.trial,
    "row level security": _of_database(database.row_security),
    "indexes": _of_database(database.indexes),
    "statistics": _of_database(database.statistics),
    "bloat": _of_database(database.bloat),
    "agent models": database.spaces,
    "large agents": database.vector_index,
    "degraded turns": database.degraded_turns,
    "users": database.users,
    "formation": database.formation,
    "clock": _of_database(database.clock),
    "replica": database.replica,
}


def judge_all(facts: Facts) -> tuple[Finding, ...]:
    """Run all checks on the collected facts and return their findings in order."""
    return tuple(Finding(name, *judge(facts)) for name, judge in CHECKS.items())


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Return True if no check failed: every status is "ok", "warning" or "skipped"."""
    return all(finding.status in ("ok", "warning", "skipped") for finding in findings)
