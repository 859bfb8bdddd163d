"""Every setting has a name and bounds, can be loaded from a partial file, and changes the version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from cognitive import Policy
from cognitive.errors import CognitiveError, InvalidInput, PolicyError
from cognitive.policy.policy import settings
from cognitive.policy.tables import ATTRIBUTION_THRESHOLDS, FRAMES, RELEVANCE

# A value other than the default for each setting, to check that the version changes.
OTHERS = {
    "window.reserves": {"response": 0.3},
    "window.protected_kinds": ("plan",),
    "window.summarize_before_prune": False,
    "window.max_tool_output_chars": {"terminal": 4_000},
    "window.tool_output_kinds": {"deploy": "terminal"},
    "budgets.frames": {"debug": {"total": 1}},
    "budgets.overrides": {"fact": 7},
    "retrieval.relevance": {"lexical": 0.01},
    "feedback.attribution": "windowed",
    "feedback.attribution_thresholds": {"relative": 0.5},
    "dedup.enabled": False,
    "abstention": False,
    "budgets.models": {"acme/": {"input_tokens": 1, "output_tokens": 1}},
    "tools.fit_to_model": False,
    "categories.always_include": [],
    "categories.rules": {"media": {"facts": 4}},
    "usage.explore_every": 20,
    "usage.boost": "rate",
    "usage.combine": "multiply",
    "placement": "journaled",
    "retention.days": {"turns": 30.0},
    "trust.min_level": {"fact": "agent"},
    "trust.recall_disabled_frames": ("debug",),
    "dedup.mode": "shorten",
    "capture": "user",
    "capture_scope": "agent",
    "formation.kinds": ("fact",),
    "formation.topics": ("garden",),
    "formation.never_topics": ("health",),
    "formation.instructions": "Keep allergies.",
    "evidence.frame_thresholds": {"debug": 0.5},
    "agents": {"a": {"evidence": {"threshold": 0.5}}},
}


def another(name: str):
    default = Policy().value(name)
    if name in OTHERS:
        return OTHERS[name]
    if isinstance(default, bool):
        return not default
    return default + 1 if isinstance(default, int) else default * 0.99 or 0.5


def loaded(tmp_path: Path, toml: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(dedent(toml), encoding="utf-8")
    return Policy.load(path)


@pytest.mark.parametrize("name", settings())
def test_version_changes_with_every_setting(name):
    assert Policy().changed({name: another(name)}).version != Policy().version


def test_version_is_12_hex_digits_and_equal_in_every_process(root):
    program = "from cognitive import Policy; print(Policy().version)"
    run = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == Policy().version
    assert len(Policy().version) == 12
    assert int(Policy().version, 16) >= 0


def test_explicit_default_values_equal_the_default_policy():
    policy = Policy(budgets={"frames": dict(FRAMES)}, retrieval={"relevance": dict(RELEVANCE)}, dedup={"enabled": True})
    assert policy == Policy()
    assert policy.version == Policy().version


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"abstain": True}, "abstain", id="unknown setting"),
        pytest.param({"budgets.frames": {"chat": {"total": 1}}}, "chat", id="unknown frame"),
        pytest.param({"budgets.frames": {"debug": {"episodes": 1}}}, "episodes", id="unknown section"),
        pytest.param({"retrieval.relevance": {"smell": 1.0}}, "smell", id="unknown factor"),
        pytest.param(
            {"feedback.attribution_thresholds": {"cosine": 0.5}}, "cosine", id="threshold of an unknown strategy"
        ),
        pytest.param({"budgets.overrides": {"facts": 1}}, "facts", id="override of an unknown type"),
        pytest.param({"feedback.attribution": "magic"}, "attribution", id="unknown strategy"),
        pytest.param({"dedup.threshold": 1.5}, "dedup.threshold", id="a cosine above one"),
        pytest.param({"deadline_ms": 0}, "deadline_ms", id="a deadline of zero"),
        pytest.param({"usage.half_life_days": -1}, "usage.half_life_days", id="a negative half-life"),
        pytest.param(
            {"usage.half_life_days": float("nan")}, "usage.half_life_days", id="a half-life that is not a number"
        ),
        pytest.param({"deadline_ms": float("inf")}, "deadline_ms", id="an infinite deadline"),
        pytest.param({"evidence.threshold": float("nan")}, "evidence.threshold", id="a threshold that is not a number"),
        pytest.param(
            {"retrieval.relevance": {"lexical": float("nan")}}, "relevance", id="a weight that is not a number"
        ),
        pytest.param({"retrieval.relevance": {"lexical": -1.0}}, "relevance", id="a negative weight"),
        pytest.param({"budgets.overrides": {"fact": -1}}, "budgets.overrides", id="a negative budget"),
        pytest.param({"budgets.frames": {"debug": {"total": -1}}}, "total", id="a negative total"),
        pytest.param({"limits.default": -1}, "limits.default", id="a negative limit"),
        pytest.param({"retrieval.candidates_per_channel": 0}, "retrieval.candidates_per_channel", id="no candidates"),
        pytest.param({"usage.explore_every": 1}, "usage.explore_every", id="exploration in every turn"),
        pytest.param({"usage.explore_every": -1}, "usage.explore_every", id="a negative exploration interval"),
        pytest.param({"usage.boost": "magic"}, "boost", id="unknown boost"),
        pytest.param({"usage.combine": "divide"}, "combine", id="unknown combination"),
        pytest.param({"association.weight": -0.1}, "association.weight", id="a negative association weight"),
        pytest.param(
            {"association.weight": float("nan")}, "association.weight", id="an association weight that is not a number"
        ),
        pytest.param(
            {"association.half_life_days": 0}, "association.half_life_days", id="an association half-life of zero"
        ),
        pytest.param({"budgets.frames": 3}, "frames", id="a number for a table"),
    ],
)
def test_invalid_setting_is_refused_by_name(changes, message):
    with pytest.raises(InvalidInput, match=message):
        Policy().changed(changes)


def test_policy_takes_keyword_arguments_only_and_is_immutable():
    with pytest.raises(TypeError):
        Policy(250.0)  # type: ignore[misc]
    policy = Policy()
    with pytest.raises((CognitiveError, ValueError, TypeError)):
        policy.dedup.enabled = False  # type: ignore[misc]
    assert policy.dedup.enabled is True


@pytest.mark.parametrize("strategy", ATTRIBUTION_THRESHOLDS)
def test_each_attribution_strategy_has_its_own_threshold(strategy):
    assert Policy(feedback={"attribution": strategy}).attribution_threshold == ATTRIBUTION_THRESHOLDS[strategy]
    own = Policy(feedback={"attribution": strategy, "attribution_thresholds": {strategy: 0.9}})
    assert own.attribution_threshold == 0.9
    assert own.feedback.attribution_thresholds.keys() == ATTRIBUTION_THRESHOLDS.keys()


def test_documented_defaults_hold():
    policy = Policy()
    assert (policy.deadline_ms, policy.dedup.threshold, policy.usage.half_life_days) == (250.0, 0.85, 7.0)
    assert (policy.limits.hinted_type, policy.limits.other_types, policy.limits.default) == (8, 3, 5)
    assert (
        policy.feedback.attribution_thresholds["windowed"] == policy.feedback.attribution_thresholds["jaccard"] == 0.15
    )


def test_seed_policy_uses_the_original_rules_and_can_be_changed():
    seed = Policy.seed()
    assert (seed.feedback.attribution, seed.attribution_threshold) == ("jaccard", 0.15)
    assert (seed.usage.boost, seed.usage.combine, seed.association.weight) == ("rate", "multiply", 0.0)
    assert seed.version != Policy().version
    changed = Policy.seed(usage={"half_life_days": 30.0, "boost": "posterior"})
    assert (changed.usage.half_life_days, changed.usage.boost, changed.usage.combine) == (30.0, "posterior", "multiply")
    with pytest.raises(InvalidInput, match="magic"):
        Policy.seed(magic=True)


def test_relevance_weights_sum_to_one():
    assert sum(Policy().retrieval.relevance.values()) == pytest.approx(1.0)


# --- files ---


def test_empty_file_loads_the_default_policy(tmp_path):
    assert loaded(tmp_path, "") == Policy()


def test_file_changes_only_the_settings_it_names(tmp_path):
    policy = loaded(
        tmp_path,
        """
        usage.half_life_days = 14

        [budgets.frames.debug]
        episode = 2500

        [retrieval.relevance]
        recency = 0.2

        [budgets.overrides]
        fact = 900

        [feedback]
        attribution = "windowed"

        [feedback.attribution_thresholds]
        windowed = 0.2
        """,
    )
    assert policy.usage.half_life_days == 14
    assert policy.budgets.frames["debug"] == FRAMES["debug"].model_copy(update={"episode": 2500})
    assert {name: row for name, row in policy.budgets.frames.items() if name != "debug"} == {
        name: row for name, row in FRAMES.items() if name != "debug"
    }
    assert dict(policy.retrieval.relevance) == {**RELEVANCE, "recency": 0.2}
    assert dict(policy.budgets.overrides) == {"fact": 900}
    assert dict(policy.feedback.attribution_thresholds) == {**ATTRIBUTION_THRESHOLDS, "windowed": 0.2}
    assert policy.dedup.threshold == Policy().dedup.threshold


def test_loading_a_file_does_not_change_the_defaults(tmp_path):
    before = Policy().version
    loaded(tmp_path, "[budgets.frames.debug]\ntotal = 1\n[retrieval.relevance]\nlexical = 0.9\n")
    assert Policy().version == before


def test_loaded_policy_equals_the_same_policy_in_code(tmp_path):
    assert (
        loaded(tmp_path, "[retrieval.relevance]\nlexical = 0.5\n").version
        == Policy(retrieval={"relevance": {"lexical": 0.5}}).version
    )


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        pytest.param("dedup = ", "not TOML", id="invalid TOML"),
        pytest.param("magic = true", "magic", id="unknown key"),
        pytest.param("[budgets.frames.chat]\ntotal = 1", "chat", id="unknown frame"),
        pytest.param("[retrieval.relevance]\nsmell = 1.0", "smell", id="unknown factor"),
        pytest.param("deadline_ms = 'soon'", "deadline_ms", id="wrong type"),
        pytest.param("version = 'x'", "version", id="the version cannot be set"),
        pytest.param("[budgets.frames]\ndebug = 3", "budgets.frames.debug", id="a number for a table"),
        pytest.param("[dedup]\nlimit = 3", "dedup.limit", id="unknown key of a group"),
        pytest.param("dedup = 3", "dedup", id="a number for a group"),
    ],
)
def test_invalid_file_is_refused_with_its_path_and_fault(tmp_path, toml, message):
    with pytest.raises(PolicyError, match=message) as error:
        loaded(tmp_path, toml)
    assert "policy.toml" in str(error.value)


def test_binary_or_missing_file_is_refused(tmp_path):
    (tmp_path / "policy.toml").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "policy.toml", tmp_path / "absent.toml", tmp_path):
        with pytest.raises(PolicyError, match=str(path)):
            Policy.load(path)


def test_agent_settings_apply_to_that_agent_only():
    policy = Policy(
        evidence={"threshold": 0.9},
        agents={"a": {"evidence": {"threshold": 0.5}, "budgets": {"frames": {"debug": {"total": 7}}}}, "b": {}},
    )
    own, other = policy.for_agent("a"), policy.for_agent("c")
    assert (own.evidence.threshold, own.budgets.frames["debug"].total, own.budgets.frames["debug"].fact) == (
        0.5,
        7,
        1000,
    )
    assert own is policy.for_agent("a")
    assert own.version not in (policy.version, other.version)
    assert own.agents == other.agents == {}
    assert other == policy.for_agent("b") == Policy(evidence={"threshold": 0.9})


def test_policy_without_agent_settings_applies_to_every_agent():
    policy = Policy()
    assert policy.for_agent("a") is policy


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evidence_flor": 1}, "evidence_flor"),
        ({"dedup": {"threshold": 2}}, "dedup.threshold"),
        ({"agents": {}}, "agents"),
    ],
)
def test_invalid_agent_setting_is_refused_with_agent_and_setting(changes, message):
    with pytest.raises(CognitiveError, match=rf"agents\.ines.*{message}"):
        Policy(agents={"ines": changes})


def test_agent_settings_are_read_from_a_file(tmp_path):
    policy = loaded(
        tmp_path,
        """
        [agents.ines]
        evidence.threshold = 0.5
        [agents.ines.evidence.frame_thresholds]
        debug = 0.4
    """,
    )
    assert policy.for_agent("ines").evidence_threshold("debug") == 0.4
    assert policy.for_agent("ines").evidence_threshold("task") == 0.5
    assert policy.for_agent("marek").evidence_threshold("debug") == Policy().evidence.threshold
