"""The pages of policies and of "What if" over HTTP: content, permissions and refusals."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from cognitive import CognitiveLayer, Outcome, Policy, Turn
from cognitive.policy.live import live_settings, with_changes
from cognitive.server.tokens import create

STRICT = {"evidence.threshold": 1.0}
HERE = {"Origin": "http://localhost"}


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


async def key_of(pages, agent):
    return re.search(
        r'name="form_key" value="([^"]+)"',
        (await pages.get(of(agent, "what-if/answer?evidence.min_item_share=0.9"))).text,
    )[1]


async def post(pages, agent, page, **fields):
    form_key = fields.pop("form_key", None) or await key_of(pages, agent)
    return await pages.post(of(agent, page), data={"form_key": form_key, **fields}, headers=HERE)


async def sign_in(client, token):
    key = re.search(r'name="form_key" value="([^"]+)"', (await client.get("/ui/login")).text)[1]
    await client.post("/ui/login", data={"form_key": key, "token": token}, headers=HERE)
    return key


async def test_what_if_answer_shows_changed_turns_with_links(pages, sample_agent):
    answer = await pages.get(
        of(sample_agent, "what-if/answer?limits.default=0&limits.hinted_type=0&limits.other_types=0&range=7d")
    )

    assert answer.status_code == 200
    assert re.search(r"\d of 2 turns would have shown other memories", answer.text)
    assert "removed</b>" in answer.text
    assert "was used" in answer.text
    assert "This sample allows no conclusion" in answer.text
    assert "Tokens per turn, without pinned" in answer.text
    assert f"/ui/turn?agent={sample_agent}&amp;id=t%2F" in answer.text
    query = parse_qs(urlsplit(answer.headers["hx-replace-url"]).query)
    assert (query["limits.hinted_type"], query["range"], query["agent"]) == (["0"], ["7d"], [sample_agent])


async def test_what_if_answer_estimates_nothing_if_no_turn_differs(pages, sample_agent):
    answer = await pages.get(of(sample_agent, "what-if/answer?budgets.frames.task.total=5999"))

    assert "The same memories in all 2 turns" in answer.text
    assert "no conclusion" not in answer.text
    assert "Estimated" not in answer.text


async def test_what_if_page_sets_the_sliders_and_requests_the_answer(pages, sample_agent, layer):
    answer = await pages.get(of(sample_agent, "what-if?evidence.min_item_share=0.9"))

    assert re.search(r'name="evidence.min_item_share"[^>]* value="0.9"', answer.text)
    assert re.search(r'name="usage.half_life_days"[^>]* value="7"', answer.text)
    assert 'hx-get="/ui/what-if/answer"' in answer.text


async def test_attribution_threshold_change_warns_about_relabelling(pages, sample_agent):
    answer = await pages.get(of(sample_agent, "what-if/answer?feedback.attribution_thresholds.relative=0.99"))

    assert "The threshold changes what counts as used." in answer.text


def fields(page):
    """Return the fields of the sliders' form that a browser without scripts sends."""
    form = re.search(r'<form class="sliders".*?</form>', page, re.DOTALL)[0]
    inputs = [
        dict(re.findall(r'([\w-]+)="([^"]*)"', attributes)) for attributes in re.findall(r"<input ([^>]*)>", form)
    ]
    return {each["name"]: each["value"] for each in inputs if "name" in each}


async def test_without_scripts_only_moved_sliders_are_compared(pages, sample_agent, layer):
    # These values lie between two steps of their sliders.
    between = {"usage.weight": 0.00123456789, "usage.half_life_days": 10 / 3}
    candidate = await layer.policies.save(sample_agent, between, by="ada")
    await layer.policies.activate(sample_agent, candidate.version, by="ada")
    params = fields((await pages.get(of(sample_agent, "what-if"))).text)

    unchanged = await pages.get("/ui/what-if/answer", params=params)
    assert "Move a slider to see its effect" in unchanged.text
    moved = await pages.get("/ui/what-if/answer", params={**params, "evidence.min_item_share": "0.9"})
    compared = parse_qs(urlsplit(moved.headers["hx-replace-url"]).query)
    assert set(compared) & {row.name for row in live_settings().values()} == {"evidence.min_item_share"}
    assert "<title>What if" in moved.text  # without htmx the answer is a complete page


async def test_invalid_value_is_refused_with_the_name_of_its_setting(pages, sample_agent):
    for change in ("usage.half_life_days=x", "usage.half_life_days=1e99", "limits.default=0.5"):
        answer = await pages.get(of(sample_agent, f"what-if/answer?{change}"))
        assert answer.status_code == 422
        assert change.partition("=")[0] in answer.text


async def test_candidate_is_saved_shadowed_activated_and_rolled_back(pages, sample_agent, layer):
    base = layer.policies.base(sample_agent)
    version = with_changes(base, STRICT).version
    answer = await post(pages, sample_agent, "policies/save", **{"row.evidence.threshold": "1", "note": "less"})
    assert (answer.status_code, f"version={version}" in answer.headers["location"]) == (303, True)
    page = await pages.get(answer.headers["location"])
    for text in ("Evidence threshold", "0.5", "less", "Run as shadow", f"Activate {version}"):
        assert text in page.text, text

    answer = await post(pages, sample_agent, "policies/choose", role="shadow", version=version, after="0")
    assert answer.status_code == 303
    assert (await layer.policies.effective(sample_agent)).shadow.version == version
    answer = await post(pages, sample_agent, "policies/choose", role="live", version=version, after="0")
    assert answer.status_code == 303
    assert (await layer.policies.effective(sample_agent)).live.version == version
    listed = (await pages.get(of(sample_agent, "policies"))).text
    assert f"Roll back to {base.version[:6]}" in listed
    assert (await post(pages, sample_agent, "policies/roll-back", role="live", after="1")).status_code == 303
    assert (await layer.policies.effective(sample_agent)).live.version == base.version
    assert [choice.author for choice in await layer.policies.history(sample_agent)] == ["anybody", "anybody"]


async def test_candidate_includes_the_changes_of_the_live_policy(pages, sample_agent, layer):
    first = await layer.policies.save(sample_agent, {"usage.half_life_days": 3}, by="ada")
    await layer.policies.activate(sample_agent, first.version, by="ada")
    await post(pages, sample_agent, "policies/save", **{"row.evidence.threshold": "1"})

    candidate = (await layer.policies.list(sample_agent))[0]
    assert dict(candidate.changes) == {"usage.half_life_days": 3.0, "evidence.threshold": 1.0}


@pytest.mark.parametrize(
    "fields",
    [
        {"row.budgets.models": "1"},
        {"row.capture": "1"},
        {"row.deadline_ms": "1"},
        {"row.usage.half_life_days": "0"},
        {"row.categories.coding.extra_patterns": "1"},
        {},
    ],
)
async def test_settings_that_are_not_live_are_refused(pages, sample_agent, layer, fields):
    answer = await post(pages, sample_agent, "policies/save", **fields)

    assert answer.status_code == 422
    assert await layer.policies.list(sample_agent) == ()


@pytest.mark.parametrize("page", ["policies/save", "policies/choose", "policies/roll-back"])
async def test_cross_site_form_changes_no_policy(pages, sample_agent, layer, page):
    candidate = await layer.policies.save(sample_agent, STRICT, by="ada")
    fields = {"role": "live", "version": candidate.version, "after": "0", "row.evidence.threshold": "1"}
    key = await key_of(pages, sample_agent)

    guessed = await pages.post(of(sample_agent, page), data={**fields, "form_key": "guessed"}, headers=HERE)
    cross_site = await pages.post(
        of(sample_agent, page), data={**fields, "form_key": key}, headers={"Origin": "http://evil.example"}
    )
    assert (guessed.status_code, cross_site.status_code) == (403, 403)
    assert (await pages.get(of(sample_agent, page))).status_code == 405
    assert (len(await layer.policies.list(sample_agent)), await layer.policies.history(sample_agent)) == (1, ())


async def test_activation_based_on_an_outdated_state_is_refused(pages, sample_agent, layer):
    candidate = await layer.policies.save(sample_agent, STRICT, by="ada")
    await layer.policies.activate(sample_agent, candidate.version, by="ada")

    late = await post(pages, sample_agent, "policies/choose", role="live", version="", after="0")
    assert (late.status_code, "the latest activation of the live policy is 1" in late.text) == (422, True)
    assert (await layer.policies.effective(sample_agent)).live.version == candidate.version


async def test_token_of_the_agent_reads_but_does_not_change_policies(guarded, tokens, sample_agent, layer):
    key = await sign_in(guarded, create(tokens, sample_agent)[1])
    answer = await guarded.get(of(sample_agent, "what-if/answer?evidence.threshold=1.0"))
    assert answer.status_code == 200
    assert "Save as candidate" not in answer.text
    for page in ("policies/save", "policies/choose", "policies/roll-back"):
        fields = {"form_key": key, "row.evidence.threshold": "1", "role": "live", "version": "", "after": "0"}
        assert (await guarded.post(of(sample_agent, page), data=fields, headers=HERE)).status_code == 403
    assert (await layer.policies.list(sample_agent), await layer.policies.history(sample_agent)) == ((), ())


async def test_token_of_another_agent_neither_reads_nor_changes_policies(guarded, tokens, sample_agent, layer):
    candidate = await layer.policies.save(sample_agent, STRICT, by="ada")
    key = await sign_in(guarded, create(tokens, "somebody-else")[1])
    for page in (
        "policies",
        "what-if",
        "what-if/answer?evidence.min_item_share=1",
        f"policy?version={candidate.version}",
    ):
        answer = await guarded.get(of(sample_agent, page))
        assert answer.status_code == 403
        assert candidate.version not in answer.text
    fields = {"form_key": key, "role": "live", "version": candidate.version, "after": "0"}
    assert (await guarded.post(of(sample_agent, "policies/choose"), data=fields, headers=HERE)).status_code == 403
    guessed = await guarded.get(f"/ui/policy?agent=somebody-else&version={candidate.version}")
    assert guessed.status_code == 422


async def test_empty_pages_explain_what_is_missing(pages, agent):
    policies = (await pages.get(of(agent, "policies"))).text
    answer = (await pages.get(of(agent, "what-if/answer?evidence.min_item_share=0.9"))).text

    assert "No candidate is saved yet" in policies
    assert "No completed turn to compare with" in answer


async def test_notes_and_authors_are_escaped(pages, sample_agent, layer):
    evil = "<script>document.title='owned'</script>"
    await layer.policies.save(sample_agent, STRICT, by=evil, note=evil)

    answer = await pages.get(of(sample_agent, "policies"))
    assert "<script>document" not in answer.text
    assert "&lt;script&gt;document" in answer.text


async def test_page_says_that_the_turns_run_on_another_base(pages, layer, sample_agent, urls, embedder):
    other = Policy(deadline_ms=20_000, evidence={"threshold": 0.61})
    async with CognitiveLayer.open(urls.app, policy=other, embedder=embedder) as second:
        turn = Turn(agent_id=sample_agent, session_id="s", text="When do we deploy?")
        await second.post_turn(await second.pre_turn(turn), Outcome(response="On Tuesdays."))
    listed, sliders = [(await pages.get(of(sample_agent, page))).text for page in ("policies", "what-if")]

    assert "another base policy" in listed
    assert "COGNITIVE_POLICY" in listed
    assert other.version in listed
    assert re.search(r'name="evidence.threshold"[^>]* value="0.61"', sliders)
