"""Fetching: looks at this machine, the model and the database, each by itself, whatever the others are like."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from urllib.parse import urlsplit, urlunsplit

from brain.embedding.minilm import MiniLM
from brain.errors import CognitiveError, JournalError, PolicyError
from brain.health import DatabaseHealth
from brain.health import examine as look
from brain.journal import Journal, journal_name
from brain.settings import Settings, from_environment
from cognitive import bootstrap
from cognitive.doctor.checks import Finding, judged
from cognitive.doctor.facts import Facts, Host, Model
from cognitive.policy import Policy

_ALIKE = 0.85  # of the letters: a name that is so near to a setting's was meant to be it
_SENTENCES = ("The migration of the database runs at noon.", "At twelve o'clock the database will be migrated.")

Looked = Callable[[str], None]  # told what is looked at next


async def examine(looking: Looked = lambda _: None) -> tuple[Finding, ...]:
    """Every check, in its order. Raises nothing: what cannot be looked at is a finding."""
    looking("this machine")
    settings, problem = _settings()
    host = await asyncio.to_thread(_host, settings)
    looking("the embedding model")
    model = await asyncio.to_thread(_model, settings)
    looking("the database")
    facts = Facts(replace(host, settings=problem), model, _address(settings), settings.database_url is None)
    if problem is not None:  # where the database is, nobody knows
        return judged(replace(facts, away="the settings cannot be read"))
    try:
        facts = replace(facts, database=await _database(settings))
    except CognitiveError as error:
        facts = replace(facts, away=str(error))
    return judged(facts)


def _settings() -> tuple[Settings, str | None]:
    """The settings; where one makes no sense, those that remain without any."""
    try:
        return from_environment(), None
    except PolicyError as error:
        return Settings.model_construct(), str(error)


def _host(settings: Settings) -> Host:
    policies, problem = _policies(settings)
    directory = settings.directory
    unusable = _unusable(directory)
    standing = next((place for place in (directory, *directory.parents) if place.is_dir()), None)
    host = Host(
        unknown=_unknown(os.environ),
        policy=problem,
        policies=policies,
        directory=str(directory),
        unusable=unusable,
        free=shutil.disk_usage(standing).free if standing is not None else None,
        failures=settings.breaker_failures,
    )
    return _with_journal(host, Journal(directory / "journal" / journal_name(settings.database_url)))


def _policies(settings: Settings) -> tuple[tuple[str, ...], str | None]:
    """The files that are in effect, and what is wrong with the first that is none."""
    try:
        bootstrap.live_policy(settings)
        if settings.shadow_policy is not None:
            Policy.load(settings.shadow_policy)
    except PolicyError as error:
        return (), str(error)
    named = (("policy", settings.policy), ("models", settings.models), ("shadow policy", settings.shadow_policy))
    return tuple(f"{name} {path}" for name, path in named if path is not None), None


def _unknown(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Variables that are named nearly as a setting."""
    known = [f"COGNITIVE_{name.upper()}" for name in Settings.model_fields]
    given = [name for name in sorted(environment) if name.startswith("COGNITIVE") and name not in known]
    meant = [(name, get_close_matches(name, known, n=1, cutoff=_ALIKE)) for name in given]
    return tuple((name, found[0]) for name, found in meant if found)


def _unusable(directory: Path) -> str | None:
    """Why nothing can be kept in a directory; one that is not there yet is made when it is needed."""
    place = next((place for place in (directory, *directory.parents) if place.exists()), directory)
    try:
        with TemporaryFile(dir=place):
            return None
    except OSError as error:
        return f"nothing can be written ({error.strerror})"


def _with_journal(host: Host, journal: Journal) -> Host:
    try:
        pending, parked = journal.count(), journal.count(parked=True)
    except JournalError as error:
        return replace(host, journal=str(journal.path), unreadable=str(error))
    return replace(host, journal=str(journal.path), pending=pending, parked=parked)


def _model(settings: Settings) -> Model:
    model = MiniLM(settings.cache_dir, threads=1)
    began = perf_counter()
    try:
        one, other = model.embed(_SENTENCES)
    except Exception as error:  # whatever a broken file makes of it, it is a finding
        return Model(MiniLM.model, error=f"{type(error).__name__}: {error}")
    return Model(MiniLM.model, len(one), float(one @ other), perf_counter() - began)


async def _database(settings: Settings) -> DatabaseHealth:
    async with AsyncExitStack() as stack:
        url = settings.database_url
        if url is None:
            url = (await stack.enter_async_context(bootstrap.embedded(settings))).app
        return await look(url)


def _address(settings: Settings) -> str:
    """Where the database should be; nothing secret."""
    if settings.database_url is None:
        return "the embedded server"
    parts = urlsplit(settings.database_url)
    return urlunsplit(("postgresql", parts.netloc.rpartition("@")[2], parts.path, "", ""))
