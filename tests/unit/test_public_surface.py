"""The public interface that users and evaluation scripts rely on, and the modules that its import loads."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
from datetime import UTC, datetime
from uuid import uuid4

import pytest

import brain.errors
import cognitive
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, ToolCall, Turn, TurnRef
from cognitive.api.admin import AdminApi
from cognitive.api.explain import ExplainApi
from cognitive.api.policies import PoliciesApi
from cognitive.api.sessions import SessionsApi
from cognitive.api.upkeep import UpkeepApi
from cognitive.recall_hits import RecallHit
from cognitive.session.work import Work
from cognitive.turn import Attribution, Report, Shown, TurnContext

NAMES = [
    "ALL_USERS",
    "Blocking",
    "CognitiveError",
    "CognitiveLayer",
    "Degradation",
    "Memory",
    "Message",
    "ModelExtractor",
    "NewMemory",
    "Outcome",
    "Policy",
    "Tool",
    "ToolCall",
    "Turn",
    "TurnContext",
    "TurnRef",
    "action_prompt",
]
ID, AT = uuid4(), datetime(2026, 9, 1, tzinfo=UTC)


def test_package_exports_exactly_these_names():
    assert cognitive.__all__ == NAMES
    assert all(hasattr(cognitive, name) for name in NAMES)


CALLS = {
    "pre_turn": [((object(),), {})],
    "post_turn": [((object(), object()), {}), ((TurnRef("a", "t"), object()), {})],
    "remember": [(("a", []), {})],
    "remember_conversation": [(("a", []), {"user_id": "u", "session_id": "s", "now": None})],
    "recall": [
        (("a", "query"), {}),
        (
            ("a", "query"),
            {
                "memory_type": None,
                "limit": 10,
                "turn_id": None,
                "now": None,
                "tags": (),
                "session_id": None,
                "since": None,
                "until": None,
            },
        ),
    ],
    "get": [(("a", [ID]), {})],
    "update": [(("a", ID), {"content": "new"}), (("a", ID), {"tags": ("x",), "pinned": True})],
    "retire": [(("a", [ID]), {}), (("a", [ID]), {"by": "agent"})],
    "restore": [(("a", [ID]), {})],
    "merge": [(("a", [ID], ID), {})],
    "rate": [(("a", "t", ID), {"useful": True})],
    "forget": [(("a", [ID]), {})],
    "erase_agent": [(("a",), {})],
    "forget_user": [(("a", "u"), {})],
    "share": [(("a", [ID]), {"user_id": "u"})],
    "why": [(("a", "t", ID), {})],
    "resume": [(("a", "s"), {})],
    "end_session": [(("a", "s"), {})],
    "artifact": [(("a", ID), {}), (("a", ID), {"start": 0, "length": 100})],
    "fit": [((object(), []), {}), ((object(), []), {"iteration": 1})],
    "refine_tools": [((object(), object()), {})],
    "flush": [((), {}), ((object(),), {})],
    "health": [((), {})],
}


@pytest.mark.parametrize("name", CALLS)
def test_layer_method_is_async_and_accepts_the_documented_arguments(name):
    method = getattr(CognitiveLayer, name)
    assert inspect.iscoroutinefunction(method)
    for args, kwargs in CALLS[name]:
        inspect.signature(method).bind(None, *args, **kwargs)


NAMESPACES = {
    "sessions": (SessionsApi, "artifact artifacts clear end list open_turns resume search_artifact"),
    "policies": (
        PoliciesApi,
        "activate base base_rates current effective get history list load roll_back running "
        "runs_of_candidates save shadow shadow_agreement what_if",
    ),
    "explain": (ExplainApi, "candidates evaluation_cases past_plans replay shadow_agreement turn turn_ids turns why"),
    "upkeep": (UpkeepApi, "contradictions duplicates stale"),
    "admin": (
        AdminApi,
        "apply_retention assign_users build_vector_index category_learning compare_models context_budgets "
        "database_role embedding_model erasures expire_turns export export_markdown find "
        "find_by_source form_by_model health import_lines journal_backlog language on_erasure preview_forget "
        "preview_import readiness replica reset_learning revisions set_language tool_usage user_profile users",
    ),
    "work": (Work, "abandon add_dependencies advance begin complete context_for list_subtasks plan search"),
}


LATER = {"admin", "explain", "policies", "upkeep"}  # namespaces that the first use creates


def public(owner):
    """Return the names of public methods and properties, inherited ones too, without instance attributes."""
    return sorted(
        name
        for name, value in inspect.getmembers_static(owner)
        if not name.startswith("_") and (callable(value) or isinstance(value, property | classmethod))
    )


def test_layer_has_exactly_these_methods():
    assert public(CognitiveLayer) == sorted([*CALLS, *LATER, "open", "settle"])


@pytest.mark.parametrize("name", NAMESPACES)
def test_namespace_has_exactly_these_methods(name):
    owner, names = NAMESPACES[name]
    assert " ".join(public(owner)) == names


async def test_layer_has_its_namespaces(layer):
    names = {name for name in vars(layer) if not name.startswith("_")}
    assert names | LATER == {*NAMESPACES, "loop"}
    assert all(isinstance(getattr(layer, name), owner) for name, (owner, _) in NAMESPACES.items())
    assert {name for name in vars(layer.explain) if not name.startswith("_")} == {"analytics", "constants"}
    assert {name for name in vars(layer.admin) if not name.startswith("_")} == {"reembedding", "reindexing"}


def test_open_accepts_the_documented_arguments():
    signature = inspect.signature(CognitiveLayer.open)
    signature.bind()
    signature.bind(None, policy=None, embedder=None)
    signature.bind("postgresql://x", policy=Policy())
    assert {name: each.default for name, each in signature.parameters.items()} == {
        "database_url": None,
        "policy": None,
        "embedder": None,
        "shadow": None,
        "token_counter": None,
        "summarizer": None,
        "classifier": None,
        "extractor": None,
        "metrics": None,
        "redact": None,
    }
    opened = CognitiveLayer.open("postgresql://nowhere.invalid/x")
    assert hasattr(opened, "__aenter__")
    assert hasattr(opened, "__aexit__")


def test_rate_takes_useful_by_keyword_only():
    with pytest.raises(TypeError):
        inspect.signature(CognitiveLayer.rate).bind(None, "a", "t", ID, True)


FIELDS = {
    TurnContext: {"turn_id", "text", "prefix", "shown", "plan", "messages", "tools", "degraded", "trace", "thinking"},
    Shown: {"memory_id", "type", "content", "source", "score", "tokens"},
    Report: {"attributions", "recorded", "duplicate"},
    Attribution: {"memory_id", "overlap", "referenced"},
    RecallHit: {"memory_id", "type", "content", "source", "score", "scores"},
}


@pytest.mark.parametrize("value", FIELDS, ids=lambda value: value.__name__)
def test_result_type_has_the_documented_fields_and_is_frozen(value):
    have = {field.name for field in dataclasses.fields(value)} | set(dir(value))
    assert FIELDS[value] <= have
    assert value.__dataclass_params__.frozen


def test_input_types_accept_the_documented_fields():
    NewMemory(
        type="episode",
        content="x",
        speaker=None,
        context="",
        occurred_at=AT,
        session_id="s1",
        source="any",
        tags=(),
        entities=(),
        confidence=1.0,
        pinned=False,
        supersedes=None,
        attributes={},
    )
    Turn(
        agent_id="a",
        session_id="s1",
        text="user message",
        user_id=None,
        conversation=[Message(role="user", content="...", at=None, kind=None)],
        tools=[Tool(name="t", description="...", parameters={})],
        model="provider/model-name",
        kind="user",
        thinking=None,
        attachments=(),
        iteration=None,
        plan_step=None,
        now=None,
        turn_id=None,
    )
    Outcome(
        response="...",
        tool_calls=[ToolCall(name="t", arguments={}, result="...", ok=True)],
        status="completed",
        citations=(),
        ratings={},
    )
    for kind in ("user", "heartbeat", "subagent", "cron"):
        Turn(agent_id="a", session_id="s", text="x", kind=kind)
    assert TurnRef("a", "t") == TurnRef(agent_id="a", turn_id="t")


def test_documented_names_outside_the_package_exist():
    from cognitive.feedback.attribute import overlaps

    assert overlaps(["Tea is served at noon."], "Tea is served at noon.", said="")[0] > Policy().attribution_threshold
    assert Policy(abstention=False).abstention is False


def test_every_error_is_exported_and_derives_from_cognitive_error():
    errors = [each for _, each in inspect.getmembers(brain.errors, inspect.isclass) if issubclass(each, Exception)]
    assert len(errors) >= 8
    assert all(issubclass(each, cognitive.CognitiveError) for each in errors)
    exported = set(cognitive.errors.__all__)
    assert {each.__name__ for each in errors} == exported


HEAVY = [
    "torch",
    "sentence_transformers",
    "alembic",
    "sqlalchemy",
    "onnxruntime",
    "onnx",
    "rich",
    "click",
    "opentelemetry",
    "prometheus_client",
    "structlog",
]


def test_import_does_not_load_optional_dependencies(root):
    program = f"import sys, cognitive; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    command = [sys.executable, "-W", "error", "-c", program]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


LATER_USED = [
    "cognitive.api.admin",
    "cognitive.api.explain",
    "cognitive.api.policies",
    "cognitive.doctor",
    "cognitive.formats",
    "cognitive.lab.questions",
    "cognitive.upkeep",
]


def test_import_of_the_layer_loads_no_module_of_later_use(root):
    names = [*HEAVY, *LATER_USED]
    program = (
        "import sys; from cognitive import CognitiveLayer\n"
        "from cognitive.formation.rules.matching import compiled\n"
        f"print(*[name for name in {names!r} if name in sys.modules], *[1] * compiled.cache_info().currsize)"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
