"""Load the models and the rules when a layer opens, so that the first turn does not wait for them."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.errors import EmbeddingError
from cognitive.formation.extract import compile_rules
from cognitive.policy import Policy
from cognitive.preflight import signals
from cognitive.preflight.classifier import Classifier, Classifiers, ExemplarClassifier

log = logging.getLogger(__name__)

_MAX_LOADING = 5.0  # seconds; preparing the model for the first time on a machine takes about three
_A_MESSAGE = "Where does Ada keep the key of the boat house?"  # a message that runs every rule


async def load_models(embedders: Embedders, policy: Policy) -> None:
    """Load the embedding models and the rules for messages, so that the first turn does not wait for them.

    The rules of formation are loaded if the policy, or that of an agent, captures turns.

    If a model cannot be loaded, a warning is logged, and the turns that need the model report the error. The rules are
    run on a message, because their automata are built at the first match, which takes a third of a turn's deadline.
    """
    signals.read(_A_MESSAGE, now=datetime.now(UTC))
    if any(each.capture != "off" for each in policy.variants):
        await asyncio.to_thread(compile_rules)
    try:
        for embedder in embedders:
            await Deadline(_MAX_LOADING * 1000).within(embedder.embed(["warm"]))
    except (EmbeddingError, TimeoutError) as error:
        log.warning("the embedding model is not ready: %s", str(error) or f"not loaded within {_MAX_LOADING:g} s")


async def load_classifiers(own: Classifier | None, embedder: CachedEmbedder, policy: Policy) -> Classifiers:
    """Return a function from a policy to its message classifier.

    The function returns None if the policy has no classifier.

    The classifier is the host's `own`, or one that compares a message with labelled example sentences. If the embedding
    model fails, the latter finds no category.
    """
    if own is not None or not any(each.categories.exemplar_fallback for each in policy.variants):
        return lambda _: own
    exemplars = ExemplarClassifier(embedder)
    try:
        await Deadline(_MAX_LOADING * 1000).within(exemplars.prepare())
    except (EmbeddingError, TimeoutError) as error:
        log.warning("no category is guessed: %s", str(error) or f"not embedded within {_MAX_LOADING:g} s")
    return exemplars.under
