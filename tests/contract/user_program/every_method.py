"""A user's program with the methods that `program.py` lacks. `test_typing.py` checks its types; it is not run."""

# ruff: noqa: T201
from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from cognitive import ALL_USERS, Blocking, CognitiveLayer, Message, Outcome, Policy, Turn
from cognitive.client import CognitiveClient
from cognitive.turn import TurnContext

NOW = datetime.now(UTC)
TALK = [{"role": "user", "content": "The key hangs behind the barometer."}, {"role": "assistant", "content": "Noted."}]


async def choose(prompt: str) -> str:
    return prompt[:10]


async def memories(layer: CognitiveLayer | CognitiveClient, ids: list[UUID], context: TurnContext) -> None:
    print((await layer.remember_conversation("a", TALK, user_id="ada", now=NOW)).lines)
    print([each.content for each in await layer.get("a", ids, user_id=ALL_USERS)])
    print((await layer.update("a", ids[0], content="It hangs here.")).content)
    print([each.tags for each in await layer.merge("a", ids, ids[0])], await layer.share("a", ids, user_id="ada"))
    print([each.content for each in await layer.retire("a", ids)], await layer.restore("a", ids))
    await layer.rate("a", context.turn_id, ids[0], useful=False)
    print((await layer.why("a", context.turn_id, ids[0])).summary, (await layer.artifact("a", ids[0], length=10)).text)
    print((await layer.fit(context, [*context.prompt(), Message(role="user")])).messages)
    print(await layer.resume("a", "s"), await layer.end_session("a", "s"))
    print((await layer.forget("a", ids)).memories, (await layer.forget_user("a", "ada")).user_id)
    print((await layer.erase_agent("a")).memories)


async def tools(layer: CognitiveLayer, context: TurnContext) -> list[str]:
    return [each.name for each in (await layer.refine_tools(context, choose)).tools]


def namespaces(layer: Blocking, ids: list[UUID]) -> None:
    context = layer.pre_turn(Turn(agent_id="a", session_id="s", text="Where?"))
    print(layer.post_turn(context, Outcome(response="There.")).attributions)
    summaries: list[str] = [each.session_id for each in layer.sessions.list("a")]
    print(summaries, layer.sessions.resume("a", "s"), layer.sessions.end("a", "s"), layer.sessions.clear("a", "s"))
    print(layer.sessions.open_turns("a"), layer.sessions.artifact("a", ids[0]).text)
    print(layer.sessions.search_artifact("a", ids[0], "key")[0])

    version = layer.policies.save("a", {"usage.half_life_days": 3}, by="me").version
    print(layer.policies.activate("a", version, by="me"), layer.policies.shadow("a", None, by="me"))
    print(layer.policies.base("a").deadline_ms, layer.policies.list("a")[0], layer.policies.history("a")[0])
    print(layer.policies.load("a", version).deadline_ms, layer.policies.get("a", version).version)
    print(layer.policies.what_if("a", {"usage.half_life_days": 3}, NOW, NOW), layer.policies.roll_back("a", by="me"))

    print(layer.explain.candidates("a", "t")[0].summary, layer.explain.turn("a", "t"), layer.explain.past_plans("a"))
    print(layer.explain.replay("a", "t", Policy()), layer.explain.turn_ids("a", since=NOW))
    print(layer.explain.evaluation_cases("a", ["t"]), layer.explain.shadow_agreement("a"))
    print(layer.upkeep.contradictions("a").items, layer.upkeep.stale("a", limit=3).items)

    print("".join(layer.admin.export_markdown("a", {"type": "fact"})), layer.admin.preview_import("a", ["{}"]))
    print(layer.admin.revisions("a", ids[0]), layer.admin.preview_forget("a", ids), layer.admin.erasures("a"))
    print(layer.admin.find_by_source("a", "fact", ["s"]), layer.admin.apply_retention("a", dry_run=True))
    print(layer.admin.language("a"), layer.admin.tool_usage("a"), layer.admin.user_profile("a", "ada"))
    print(layer.admin.reembedding.list_models("a"), layer.admin.reindexing.status("a"))

    first, second = layer.work.begin("a", "s", "one"), layer.work.begin("a", "s", "two")
    print(layer.work.add_dependencies("a", second.id, [first.id]).title, layer.work.advance("a", "s", 1))
    print(layer.work.complete("a", first.id, "done", [ids[0]], ["The key is there."]).title)
    print(layer.work.abandon("a", second.id, "late"), layer.work.list_subtasks("a", "s"))
    print(layer.work.search("a", "s", "one"), layer.work.context_for("a", "s", "three", [first.id]))
