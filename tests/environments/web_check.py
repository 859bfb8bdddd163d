"""Flask and Streamlit, whose code is synchronous and runs in threads."""

from __future__ import annotations

import asyncio

import flask
import pytest
from streamlit.testing.v1 import AppTest

from cognitive import Blocking, CognitiveLayer, NewMemory, Outcome, Policy, Turn

KEY = "The spare key of the boat house hangs behind the brass barometer of the old captain."
ASK = "Do you remember where the spare key of the boat house hangs?"
POLICY = Policy(abstention=False, deadline_ms=20_000)


@pytest.fixture
async def layer(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
        yield layer


async def test_views_of_flask_share_a_started_layer(urls, embedder, layer, agent):
    app = flask.Flask(__name__)
    memory = await asyncio.to_thread(Blocking.start, urls.app, policy=POLICY, embedder=embedder)

    @app.get("/<session>")
    def view(session):
        context = memory.pre_turn(Turn(agent_id=agent, session_id=session, text=ASK))
        memory.settle(context, Outcome(response=KEY))
        return context.text

    answers = await asyncio.gather(
        *(asyncio.to_thread(lambda n=n: app.test_client().get(f"/s{n}").text) for n in range(8))
    )
    await asyncio.to_thread(memory.close)
    assert [KEY in each for each in answers] == [True] * 8
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"] * 8


async def test_page_of_streamlit_keeps_its_layer_between_runs(urls, layer, agent):
    def page(url, agent_id, text, policy):
        import streamlit

        from cognitive import Blocking, Turn

        @streamlit.cache_resource
        def memory(url):
            return Blocking.start(url, policy=policy)

        streamlit.write(memory(url).pre_turn(Turn(agent_id=agent_id, session_id="s", text=text)).text)

    def run():
        test = AppTest.from_function(page, args=(urls.app, agent, ASK, POLICY), default_timeout=60)
        return [test.run().markdown[0].value for _ in range(2)]

    shown = await asyncio.to_thread(run)
    assert [KEY in each for each in shown] == [True, True]
