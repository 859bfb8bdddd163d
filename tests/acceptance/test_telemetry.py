"""Spans and metrics of real turns: conventional names, no content by default, and no effect on turns."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Turn, TurnRef
from cognitive.errors import InvalidInput, StoreUnavailable
from cognitive.telemetry.attributes import CAPTURE_CONTENT
from cognitive.telemetry.prometheus import PrometheusMetrics
from cognitive.trace import ELAPSED

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
CALM = Policy(deadline_ms=10_000, abstention=False)
OAK = "Which supplier delivers oak boards?"
ALBA = "The supplier Alba delivers oak boards every Tuesday by horse cart."
BRIX = "The supplier Brix delivers oak boards every Friday by river barge."
SAID = "The spare key of the boat house hangs behind the old barometer."
BY_BARGE = "Brix does: every Friday, by river barge."
WORDS = ("oak boards", "horse cart", "river barge", "Brix", "barometer")  # must not appear in telemetry


class FailingProcessor(SpanProcessor):
    """A host's span processor that raises while `failing` is true."""

    failing = False

    def on_start(self, span, parent_context=None):
        self._fail()

    def on_end(self, span):
        self._fail()

    def _fail(self):
        if self.failing:
            raise ConnectionError("the collector is gone")


@pytest.fixture(scope="module")
def processor() -> FailingProcessor:
    return FailingProcessor()


@pytest.fixture(scope="module")
def exporter(processor) -> InMemorySpanExporter:
    """Attach an exporter to the tracer provider, which a process can set only once."""
    exporter = InMemorySpanExporter()
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
    trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
    trace.get_tracer_provider().add_span_processor(processor)
    return exporter


@pytest.fixture
def spans(exporter, processor, monkeypatch) -> Iterator[InMemorySpanExporter]:
    monkeypatch.delenv(CAPTURE_CONTENT, raising=False)
    exporter.clear()
    yield exporter
    processor.failing = False


@pytest.fixture
def metrics() -> PrometheusMetrics:
    return PrometheusMetrics()


@pytest.fixture
async def layer(urls, embedder, metrics):
    async with CognitiveLayer.open(urls.app, policy=CALM, embedder=embedder, metrics=metrics) as layer:
        yield layer


def facts(*contents: str) -> list[NewMemory]:
    return [NewMemory(type="fact", content=each, occurred_at=AT) for each in contents]


def ask(agent: str, text: str = OAK, **fields) -> Turn:
    return Turn(agent_id=agent, session_id="s", text=text, **({"now": NOW} | fields))


def one(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    (span,) = [span for span in spans.get_finished_spans() if span.name == name]
    return span


def samples(metrics: PrometheusMetrics) -> dict[str, float]:
    """Return all samples that are not zero, by name and labels, without buckets and creation times."""
    return {
        " ".join([sample.name, *sorted(sample.labels.values())]): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.value and not sample.name.endswith(("_bucket", "_created"))
    }


# --- spans ---


async def test_a_turn_is_one_tree_of_spans(layer, agent, spans):
    await layer.remember(agent, facts(ALBA, BRIX))
    spans.clear()
    context = await layer.pre_turn(ask(agent, f"{OAK} {uuid4().hex}"))
    parent = one(spans, "cognitive.pre_turn")
    assert parent.parent is None
    under = {span.name: span for span in spans.get_finished_spans() if span is not parent}
    assert under.keys() == {"cognitive.plan", "search_memory", "embeddings all-MiniLM-L6-v2/onnx-int8"}
    assert {span.parent.span_id for span in under.values()} == {parent.context.span_id}
    assert {span.context.trace_id for span in under.values()} == {parent.context.trace_id}
    assert parent.attributes == {
        "gen_ai.agent.id": agent,
        "gen_ai.conversation.id": "s",
        "cognitive.turn.kind": "user",
        "cognitive.turn.id": context.turn_id,
        "cognitive.frame": context.plan.frame,
        "cognitive.intent": context.plan.categories,
        "cognitive.effort": context.plan.thinking,
        "cognitive.memory.types": tuple(query.type for query in context.plan.retrieval),
        "cognitive.plan.tokens": context.plan.total,
        "cognitive.policy.version": CALM.version,
        "cognitive.memory.shown": 2,
        "cognitive.context.tokens": sum(shown.tokens for shown in context.shown),
    }
    assert under["cognitive.plan"].attributes["cognitive.frame"] == context.plan.frame
    assert under["search_memory"].attributes == {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.agent.id": agent,
        "gen_ai.memory.store.id": agent,
        "cognitive.memory.types": tuple(query.type for query in context.plan.retrieval),
        "cognitive.search.channels": ("dense", "lexical"),
        "gen_ai.memory.record.count": 2,
    }
    assert under["embeddings all-MiniLM-L6-v2/onnx-int8"].attributes == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.request.model": "all-MiniLM-L6-v2/onnx-int8",
        "gen_ai.embeddings.dimension.count": 384,
        "cognitive.embeddings.texts": 1,
    }


async def test_spans_are_children_of_the_hosts_span(layer, agent, spans):
    with trace.get_tracer("host").start_as_current_span("invoke_agent"):
        await layer.pre_turn(ask(agent))
    assert one(spans, "cognitive.pre_turn").parent.span_id == one(spans, "invoke_agent").context.span_id


async def test_post_turn_span_reports_the_outcome(layer, agent, spans):
    await layer.remember(agent, facts(ALBA, BRIX))
    context = await layer.pre_turn(ask(agent))
    await layer.post_turn(context, Outcome(response=BY_BARGE))
    assert one(spans, "cognitive.post_turn").attributes == {
        "gen_ai.agent.id": agent,
        "gen_ai.conversation.id": "s",
        "cognitive.turn.id": context.turn_id,
        "cognitive.turn.status": "completed",
        "cognitive.memory.referenced": 1,
        "cognitive.turn.recorded": True,
        "cognitive.turn.duplicate": False,
    }


async def test_memory_operations_use_the_conventions_span_names(layer, agent, spans):
    alba, brix = await layer.remember(agent, facts(ALBA, BRIX))
    await layer.update(agent, alba, content=f"{ALBA} And oats.")
    assert len(await layer.recall(agent, OAK, now=NOW)) == 2
    await layer.forget(agent, [brix])
    await layer.erase_agent(agent)
    about = {"gen_ai.agent.id": agent, "gen_ai.memory.store.id": agent}
    assert one(spans, "create_memory").attributes == about | {
        "gen_ai.operation.name": "create_memory",
        "gen_ai.memory.record.count": 2,
    }
    assert one(spans, "update_memory").attributes == about | {
        "gen_ai.operation.name": "update_memory",
        "gen_ai.memory.record.count": 1,
        "gen_ai.memory.record.id": str(alba),
    }
    assert one(spans, "delete_memory").attributes == about | {
        "gen_ai.operation.name": "delete_memory",
        "gen_ai.memory.record.count": 1,
        "gen_ai.memory.record.id": str(brix),
    }
    assert one(spans, "delete_memory_store").attributes == about | {
        "gen_ai.operation.name": "delete_memory_store",
        "gen_ai.memory.record.count": 1,
    }
    recall, search = one(spans, "cognitive.recall"), one(spans, "search_memory")
    assert recall.attributes == {"gen_ai.agent.id": agent, "gen_ai.memory.record.count": 2}
    assert search.parent.span_id == recall.context.span_id


async def test_error_span_has_the_error_type_without_its_message(layer, agent, spans):
    with pytest.raises(InvalidInput):
        await layer.recall(agent, "oak boards", memory_type="river barge")
    span = one(spans, "cognitive.recall")
    assert span.attributes["error.type"] == "InvalidInput"
    assert not span.status.is_ok
    assert "river barge" not in span.to_json()


# --- content ---


async def everything(layer: CognitiveLayer, agent: str) -> None:
    ids = await layer.remember(agent, facts(ALBA, BRIX, SAID))
    await layer.update(agent, ids[0], tags=("Brix",))
    talk = [Message(role="user", content=SAID), Message(role="assistant", content="I shall remember that.")]
    context = await layer.pre_turn(ask(agent, conversation=talk))
    await layer.recall(agent, "river barge", turn_id=context.turn_id, now=NOW)
    await layer.post_turn(context, Outcome(response=BY_BARGE))
    await layer.forget(agent, ids[:1])


async def test_spans_hold_no_content_by_default(layer, agent, spans):
    await everything(layer, agent)
    text = "".join(span.to_json() for span in spans.get_finished_spans())
    assert [word for word in WORDS if word.lower() in text.lower()] == []


@pytest.mark.parametrize("setting", ["SPAN_ONLY", "span_and_event", "true"])
async def test_spans_hold_the_query_and_records_after_opt_in(layer, agent, spans, monkeypatch, setting):
    monkeypatch.setenv(CAPTURE_CONTENT, setting)
    alba, brix = await layer.remember(agent, facts(ALBA, BRIX))
    context = await layer.pre_turn(ask(agent))
    search, turn = one(spans, "search_memory").attributes, one(spans, "cognitive.pre_turn").attributes
    assert search["gen_ai.memory.query.text"] == turn["gen_ai.memory.query.text"] == OAK
    found = json.loads(search["gen_ai.memory.records"])
    assert {(each["id"], each["content"], each["metadata"]["type"]) for each in found} == {
        (str(alba), ALBA, "fact"),
        (str(brix), BRIX, "fact"),
    }
    assert json.loads(turn["gen_ai.memory.records"]) == [
        {"id": str(shown.memory_id), "content": shown.content, "score": shown.score, "metadata": {"type": "fact"}}
        for shown in context.shown
    ]
    stored = json.loads(one(spans, "create_memory").attributes["gen_ai.memory.records"])
    assert [each["content"] for each in stored] == [ALBA, BRIX]


@pytest.mark.parametrize("setting", ["", "NO_CONTENT", "EVENT_ONLY", "false", "1"])
async def test_other_capture_settings_do_not_opt_in(layer, agent, spans, monkeypatch, setting):
    monkeypatch.setenv(CAPTURE_CONTENT, setting)
    await layer.remember(agent, facts(ALBA))
    await layer.pre_turn(ask(agent))
    text = "".join(span.to_json() for span in spans.get_finished_spans())
    assert "gen_ai.memory.records" not in text
    assert "gen_ai.memory.query.text" not in text


async def test_metrics_hold_no_content_and_no_agent_id(layer, agent, metrics):
    await everything(layer, agent)
    text = metrics.exposition()[0].decode().lower()
    assert [word for word in (*WORDS, agent) if word.lower() in text] == []


# --- metrics ---


async def test_turn_metrics_agree_with_the_turn(layer, agent, metrics):
    await layer.remember(agent, facts(ALBA, BRIX, SAID))
    talk = [Message(role="user", content=SAID), Message(role="assistant", content="I shall remember that.")]
    context = await layer.pre_turn(
        ask(agent, f"{OAK} And where is the spare key of the boat house?", conversation=talk)
    )
    assert {result.candidate.hit.content: result.disposition for result in context.trace.candidates} == {
        ALBA: "shown",
        BRIX: "shown",
        SAID: "restated",
    }
    report = await layer.post_turn(context, Outcome(response=BY_BARGE))
    have = samples(metrics)
    assert have["cognitive_memories_retrieved_total fact"] == 3
    assert have["cognitive_memories_deduped_total fact"] == 1
    assert have["cognitive_memories_injected_total fact"] == 2
    assert have["cognitive_memories_referenced_total fact"] == 1
    assert have["cognitive_memories_written_total create_memory"] == 3
    assert have[f"cognitive_turns_prepared_total {' '.join(sorted([context.plan.frame, 'no']))}"] == 1
    assert have["cognitive_turns_settled_total completed postgres"] == 1
    assert [have[f"cognitive_intents_total {each}"] for each in context.plan.categories] == [1]
    assert have["cognitive_context_tokens_sum fact"] == sum(shown.tokens for shown in context.shown)
    assert have["cognitive_boost_factor_count"] == have["cognitive_overlap_count"] == 2
    assert have["cognitive_boost_factor_sum"] == 2.0
    assert have["cognitive_overlap_sum"] == pytest.approx(sum(each.overlap for each in report.attributions))
    assert have["cognitive_dedup_similarity_count cosine"] == have["cognitive_dedup_similarity_count containment"] == 3
    assert have["cognitive_pre_turn_seconds_count"] == have["cognitive_post_turn_seconds_count"] == 1
    stages = sum(have[f"cognitive_stage_seconds_sum {stage}"] for stage in context.trace.timings if stage != ELAPSED)
    assert 0 < stages <= have["cognitive_pre_turn_seconds_sum"]
    assert not any(name.startswith(("cognitive_degraded", "cognitive_fail_open", "cognitive_errors")) for name in have)


async def test_outcome_by_reference_is_counted_once_by_type(layer, agent, metrics):
    await layer.remember(agent, facts(ALBA, BRIX))
    context = await layer.pre_turn(ask(agent))
    ref, outcome = TurnRef(agent, context.turn_id), Outcome(response=BY_BARGE)
    first, again = [await layer.post_turn(ref, outcome) for _ in range(2)]
    assert [(each.memory_id, each.type) for each in first.attributions] == [
        (each.memory_id, each.type) for each in again.attributions
    ]
    assert {each.type for each in again.attributions} == {"fact"}
    have = samples(metrics)
    assert have["cognitive_memories_referenced_total fact"] == 1
    assert have["cognitive_turns_settled_total completed postgres"] == 1
    assert have["cognitive_turns_settled_total duplicate postgres"] == 1
    assert have["cognitive_overlap_count"] == 2


async def test_recalls_are_counted_by_result(layer, agent, metrics):
    await layer.recall(agent, OAK)
    await layer.remember(agent, facts(ALBA))
    await layer.recall(agent, OAK)
    have = samples(metrics)
    assert have["cognitive_recall_calls_total found"] == have["cognitive_recall_calls_total empty"] == 1
    assert have["cognitive_recall_seconds_count"] == 2


async def test_raised_errors_are_counted_by_type(layer, agent, metrics):
    with pytest.raises(InvalidInput):
        await layer.post_turn(TurnRef(agent, "never-opened"), Outcome(response="x"))
    assert samples(metrics)["cognitive_errors_total UnknownTurn post_turn"] == 1


async def test_heartbeat_turns_move_no_metric(layer, agent, metrics):
    await layer.pre_turn(ask(agent, kind="heartbeat"))
    assert samples(metrics) == {}


async def test_raising_token_counter_is_counted_as_fail_open(urls, embedder, agent, metrics):
    class Broken:
        name, tokens = "broken", 1

        def __call__(self, text: str) -> int:
            return 1 // self.tokens

    counter = Broken()
    async with CognitiveLayer.open(
        urls.app, policy=CALM, embedder=embedder, token_counter=counter, metrics=metrics
    ) as layer:
        await layer.remember(agent, facts(ALBA))
        counter.tokens = 0
        context = await layer.pre_turn(ask(agent))
    have = samples(metrics)
    assert context.degraded
    assert have["cognitive_fail_open_total memory"] == have["cognitive_degraded_total memory"] == 1


async def test_metrics_report_degradation_and_journal_without_postgres(embedder, agent, metrics):
    nowhere = "postgresql://nobody@127.0.0.1:9/nothing"
    async with CognitiveLayer.open(nowhere, policy=Policy(), embedder=embedder, metrics=metrics) as layer:
        context = await layer.pre_turn(ask(agent))
        await layer.post_turn(context, Outcome(response=BY_BARGE))
        have = samples(metrics)
        assert have["cognitive_turns_settled_total completed journal"] == 1
        assert have["cognitive_degraded_total retrieval"] == have["cognitive_degraded_total record"] == 1
        assert have["cognitive_journal_entries waiting"] >= 1
        assert not [name for name in have if name.startswith("cognitive_fail_open")]
        with pytest.raises(StoreUnavailable):
            await layer.erase_agent(agent)
        assert (
            samples(metrics).get("cognitive_journal_entries waiting", 0)
            == have["cognitive_journal_entries waiting"] - 1
        )


# --- failing telemetry ---


class RaisingMetrics:
    """A host's metrics that always raise."""

    def observe(self, observations):
        raise ConnectionError("the collector is gone")

    def watch(self, gauge, labels, read):
        raise ConnectionError("the collector is gone")


async def test_raising_span_processor_and_metrics_leave_turns_intact(urls, embedder, agent, spans, processor, caplog):
    processor.failing = True
    with caplog.at_level(logging.WARNING):
        async with CognitiveLayer.open(urls.app, policy=CALM, embedder=embedder, metrics=RaisingMetrics()) as layer:
            await layer.remember(agent, facts(ALBA, BRIX))
            context = await layer.pre_turn(ask(agent))
            report = await layer.post_turn(context, Outcome(response=BY_BARGE))
            hits = await layer.recall(agent, OAK)
    assert context.degraded == ()
    assert len(context.shown) == len(hits) == 2
    assert [each.referenced for each in report.attributions].count(True) == 1
    assert "the collector is gone" in caplog.text
