"""The services inside a layer, for tests that check more than its public methods."""

from __future__ import annotations

from types import SimpleNamespace

from cognitive import CognitiveLayer


def internals(layer: CognitiveLayer) -> SimpleNamespace:
    """Return the layer's services by name."""
    return SimpleNamespace(
        background=layer._background,
        artifacts=layer.sessions._artifacts,
        capture=layer._outcomes._capture,
        catalog=layer._preparation.tools._catalog,
        session_manager=layer._preparation.window._session_manager,
        database=layer._agent_memories._store._database,
        embedders=layer._preparation.memories._embedders,
        eraser=layer._agent_memories._erasing,
        engine=layer._preparation.memories._engine,
        category_learner=layer.admin._category_learner,
        journal=layer._outcomes._journal,
        outcomes=layer._outcomes,
        planner=layer._preparation.memories._planner,
        memory_store=layer._agent_memories._store,
        policy_store=layer.policies._store,
        prefetch=layer._outcomes._prefetch,
        resolver=layer._policies,
        shadowing=layer._preparation.recorder._shadowing,
        turns=layer._preparation.recorder._turns,
    )
