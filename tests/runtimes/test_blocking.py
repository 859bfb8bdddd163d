"""The blocking bridge: the layer for code without an event loop or with another one."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from textwrap import dedent

import pytest

from cognitive import Blocking, CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import InvalidInput, SchemaError, WrongEventLoop

KEY = "The spare key of the boat house hangs behind the barometer."
POLICY = Policy(abstention=False, deadline_ms=20_000)


def _turn(agent):
    return Turn(agent_id=agent, session_id="s", text="Where does the spare key of the boat house hang?")


async def test_complete_turn_runs_without_an_event_loop(urls, embedder, agent, layer):
    def host():
        with Blocking.open(urls.app, policy=POLICY, embedder=embedder) as blocking:
            [key] = blocking.remember(agent, [NewMemory(type="fact", content=KEY)])
            context = blocking.pre_turn(_turn(agent))
            window = blocking.fit(context, context.prompt())
            report = blocking.post_turn(context, Outcome(response=KEY))
            hits = blocking.recall(agent, "barometer")
            return key, context, window, report, hits

    key, context, window, report, hits = await asyncio.to_thread(host)
    assert [memory.memory_id for memory in context.shown] == [key]
    assert KEY in window.messages[-1].content
    assert [(each.memory_id, each.referenced) for each in report.attributions] == [(key, True)]
    assert [hit.memory_id for hit in hits] == [key]
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]
    assert "cognitive-layer" not in " ".join(thread.name for thread in threading.enumerate()), "its thread has ended"


async def test_settled_turn_is_stored_before_closing(urls, embedder, agent, layer):
    def host():
        with Blocking.open(urls.app, policy=POLICY, embedder=embedder) as blocking:
            context = blocking.pre_turn(_turn(agent))
            blocking.settle(context, Outcome(response=KEY))

    await asyncio.to_thread(host)
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


async def test_errors_are_raised_unchanged(urls, embedder, agent):
    def host():
        with Blocking.open(urls.app, embedder=embedder) as blocking, pytest.raises(InvalidInput, match="query"):
            blocking.recall(agent, " ")
        with pytest.raises(WrongEventLoop, match="closed"):
            blocking.recall(agent, "x")
        with pytest.raises(SchemaError), Blocking.open(urls.owner.replace("@/cognitive?", "@/postgres?")):
            raise AssertionError("a layer without a schema")

    await asyncio.to_thread(host)


async def test_layer_of_a_running_loop_serves_other_threads_only(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        blocking = Blocking(layer)
        [key] = await asyncio.to_thread(blocking.remember, agent, [NewMemory(type="fact", content=KEY)])
        assert [hit.memory_id for hit in await asyncio.to_thread(blocking.recall, agent, "barometer")] == [key]
        with pytest.raises(WrongEventLoop, match="would wait forever"):
            blocking.recall(agent, "barometer")


def _public(owner):
    return {name for name, value in inspect.getmembers(owner) if not name.startswith("_") and callable(value)}


async def test_every_method_of_the_layer_has_a_blocking_twin(layer):
    blocking = Blocking(layer)
    assert _public(CognitiveLayer) - {"open"} <= _public(blocking)
    for name in ("sessions", "policies", "explain", "upkeep", "admin", "work"):
        assert _public(getattr(layer, name)) <= _public(getattr(blocking, name)), name
    for name in ("reembedding", "reindexing"):
        assert _public(getattr(layer.admin, name)) <= _public(getattr(blocking.admin, name)), name


async def test_namespaces_work_without_an_event_loop(layer, agent):
    def host(blocking):
        [key] = blocking.remember(agent, [NewMemory(type="fact", content=KEY)])
        blocking.work.plan(agent, "s", ["Look behind the barometer."])
        blocking.settle(blocking.pre_turn(_turn(agent)), Outcome(response=KEY))
        blocking.flush()
        [turn] = blocking.explain.turns(agent)
        assert blocking.why(agent, turn.turn_id, key).used is True
        assert blocking.sessions.resume(agent, "s").plan == ("Look behind the barometer.",)
        assert blocking.policies.current(agent).deadline_ms == blocking.policies.base(agent).deadline_ms
        assert [each.state for each in blocking.admin.reembedding.list_models(agent)] == ["live"]
        assert KEY in "".join(blocking.admin.export(agent))
        assert blocking.update(agent, key, content=KEY.upper()).content == KEY.upper()
        assert blocking.forget(agent, [key]).memories == 1
        return blocking.admin.find(agent)

    assert await asyncio.to_thread(host, Blocking(layer)) == []


def test_help_shows_parameters_and_docstring_of_the_layer():
    assert "best first" in inspect.getdoc(Blocking.recall)


async def test_started_layer_stores_settled_turns_when_the_program_ends(urls, root, agent, layer):
    program = """
        import sys
        from cognitive import Blocking, Outcome, Policy, Turn
        layer = Blocking.start(sys.argv[1], policy=Policy(deadline_ms=20_000))
        context = layer.pre_turn(Turn(agent_id=sys.argv[2], session_id="s", text="Where does the key hang?"))
        layer.settle(context, Outcome(response="It hangs there."))
    """
    command = [sys.executable, "-c", dedent(program), urls.app, agent]
    ran = await asyncio.to_thread(subprocess.run, command, cwd=root, capture_output=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


FORKS = """
    import os, signal, sys
    from cognitive import Blocking, NewMemory
    from cognitive.errors import WrongEventLoop

    layer = Blocking.start(sys.argv[1])
    layer.remember(sys.argv[2], [NewMemory(type="fact", content="The lamp is red.")])
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            layer.recall(sys.argv[2], "lamp")
        except WrongEventLoop as error:
            assert "fork" in str(error), error
            layer.close()
            with Blocking.open(sys.argv[1]) as own:
                found = len(own.recall(sys.argv[2], "lamp"))
            os._exit(found)  # at its end, ONNX Runtime would join threads of the parent
        os._exit(99)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), len(layer.recall(sys.argv[2], "lamp")))
"""


async def test_forked_process_is_told_to_open_its_own_layer(urls, agent, root):
    """Servers such as uWSGI load the program once, and fork."""
    command = [sys.executable, "-W", "ignore", "-c", dedent(FORKS), urls.app, agent]
    ran = await asyncio.to_thread(subprocess.run, command, cwd=root, capture_output=True, timeout=120, check=False)
    assert (ran.stdout.split(), ran.returncode) == ([b"1", b"1"], 0), ran.stderr


async def test_closed_layer_refuses_calls_and_closes_once(urls, embedder, agent):
    def host():
        blocking = Blocking.start(urls.app, embedder=embedder)
        blocking.close()
        blocking.close()
        with pytest.raises(WrongEventLoop, match="closed"):
            blocking.recall(agent, "barometer")

    await asyncio.to_thread(host)
