"""The pages of policies and of what if, over HTTP: what they tell, whom they let choose, what they refuse."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from cognitive.policy.live import LIVE_SETTINGS, with_changes
from cognitive.server.tokens import create

STRICT = {"evidence.threshold": 2.0}
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


async def test_what_would_change_is_told_with_links_and_the_words(pages, played):
    answer = await pages.get(
        of(played, "what-if/answer?limits.default=0&limits.hinted_type=0&limits.other_types=0&range=7d")
    )

    assert answer.status_code == 200
    assert re.search(r"\d of 2 turns would have shown other memories", answer.text)
    assert "leaves" in answer.text
    assert "was used" in answer.text
    assert "This sample allows no conclusion" in answer.text
    assert f"/ui/turn?agent={played}&amp;id=t%2F" in answer.text
    kept = parse_qs(urlsplit(answer.headers["hx-replace-url"]).query)
    assert (kept["limits.hinted_type"], kept["range"], kept["agent"]) == (["0"], ["7d"], [played])


async def test_the_page_paints_the_sliders_where_they_stand_and_asks_for_the_answer(pages, played, layer):
    answer = await pages.get(of(played, "what-if?evidence.min_item_share=0.9"))

    assert re.search(r'name="evidence.min_item_share"[^>]* value="0.9"', answer.text)
    assert re.search(r'name="usage.half_life_days"[^>]* value="7"', answer.text)
    assert 'hx-get="/ui/what-if/answer"' in answer.text


async def test_another_threshold_is_told_to_relabel(pages, played):
    answer = await pages.get(of(played, "what-if/answer?feedback.attribution_thresholds.relative=0.99"))

    assert "The threshold changes what counts as used." in answer.text


def fields(page):
    """What a browser without scripts sends of the sliders' form."""
    form = re.search(r'<form class="sliders".*?</form>', page, re.DOTALL)[0]
    named = [dict(re.findall(r'([\w-]+)="([^"]*)"', given)) for given in re.findall(r"<input ([^>]*)>", form)]
    return {given["name"]: given["value"] for given in named if "name" in given}


async def test_without_scripts_only_what_was_changed_is_asked_about(pages, played, layer):
    between = {"usage.weight": 0.00123456789, "usage.half_life_days": 10 / 3}  # two steps of their sliders
    candidate = await layer.policies.save(played, between, by="ada")
    await layer.policies.activate(played, candidate.version, by="ada")
    given = fields((await pages.get(of(played, "what-if"))).text)

    still = await pages.get("/ui/what-if/answer", params=given)
    assert "Move a slider to see its effect" in still.text
    moved = await pages.get("/ui/what-if/answer", params={**given, "evidence.min_item_share": "0.9"})
    asked = parse_qs(urlsplit(moved.headers["hx-replace-url"]).query)
    assert set(asked) & {row.name for row in LIVE_SETTINGS} == {"evidence.min_item_share"}
    assert "<title>What if" in moved.text  # a page of its own, where nobody puts it into one


async def test_a_value_that_makes_no_sense_is_refused_by_its_name(pages, played):
    for given in ("usage.half_life_days=x", "usage.half_life_days=1e99", "limits.default=0.5"):
        answer = await pages.get(of(played, f"what-if/answer?{given}"))
        assert answer.status_code == 422
        assert given.partition("=")[0] in answer.text


async def test_a_candidate_is_saved_shadowed_activated_and_rolled_back(pages, played, layer):
    base = layer.policies.base(played)
    version = with_changes(base, STRICT).version
    answer = await post(pages, played, "policies/save", **{"row.evidence.threshold": "2", "note": "less"})
    assert (answer.status_code, f"version={version}" in answer.headers["location"]) == (303, True)
    page = await pages.get(answer.headers["location"])
    for told in ("Evidence threshold", "0.85", "less", "Run as shadow", f"Activate {version}"):
        assert told in page.text, told

    assert (await post(pages, played, "policies/choose", role="shadow", version=version, after="0")).status_code == 303
    assert (await layer.policies.effective(played)).shadow.version == version
    assert (await post(pages, played, "policies/choose", role="live", version=version, after="0")).status_code == 303
    assert (await layer.policies.effective(played)).live.version == version
    listed = (await pages.get(of(played, "policies"))).text
    assert f"Roll back to {base.version[:6]}" in listed
    assert (await post(pages, played, "policies/roll-back", role="live", after="1")).status_code == 303
    assert (await layer.policies.effective(played)).live.version == base.version
    assert [choice.author for choice in await layer.policies.history(played)] == ["anybody", "anybody"]


async def test_a_candidate_over_a_live_one_keeps_what_that_changed(pages, played, layer):
    first = await layer.policies.save(played, {"usage.half_life_days": 3}, by="ada")
    await layer.policies.activate(played, first.version, by="ada")
    await post(pages, played, "policies/save", **{"row.evidence.threshold": "2"})

    candidate = (await layer.policies.list(played))[0]
    assert dict(candidate.changes) == {"usage.half_life_days": 3.0, "evidence.threshold": 2.0}


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
async def test_fields_outside_of_the_list_are_refused(pages, played, layer, fields):
    answer = await post(pages, played, "policies/save", **fields)

    assert answer.status_code == 422
    assert await layer.policies.list(played) == ()


@pytest.mark.parametrize("page", ["policies/save", "policies/choose", "policies/roll-back"])
async def test_a_form_of_another_site_chooses_nothing(pages, played, layer, page):
    candidate = await layer.policies.save(played, STRICT, by="ada")
    fields = {"role": "live", "version": candidate.version, "after": "0", "row.evidence.threshold": "1"}
    key = await key_of(pages, played)

    guessed = await pages.post(of(played, page), data={**fields, "form_key": "guessed"}, headers=HERE)
    elsewhere = await pages.post(
        of(played, page), data={**fields, "form_key": key}, headers={"Origin": "http://evil.example"}
    )
    assert (guessed.status_code, elsewhere.status_code) == (403, 403)
    assert (await pages.get(of(played, page))).status_code == 405
    assert (len(await layer.policies.list(played)), await layer.policies.history(played)) == (1, ())


async def test_a_choice_that_somebody_overtook_is_refused(pages, played, layer):
    candidate = await layer.policies.save(played, STRICT, by="ada")
    await layer.policies.activate(played, candidate.version, by="ada")

    late = await post(pages, played, "policies/choose", role="live", version="", after="0")
    assert (late.status_code, "the latest activation of the live policy is 1" in late.text) == (422, True)
    assert (await layer.policies.effective(played)).live.version == candidate.version


async def test_a_token_of_the_agent_looks_and_does_not_choose(guarded, tokens, played, layer):
    key = await sign_in(guarded, create(tokens, played)[1])
    answer = await guarded.get(of(played, "what-if/answer?evidence.threshold=2.0"))
    assert answer.status_code == 200
    assert "Save as candidate" not in answer.text
    for page in ("policies/save", "policies/choose", "policies/roll-back"):
        fields = {"form_key": key, "row.evidence.threshold": "2", "role": "live", "version": "", "after": "0"}
        assert (await guarded.post(of(played, page), data=fields, headers=HERE)).status_code == 403
    assert (await layer.policies.list(played), await layer.policies.history(played)) == ((), ())


async def test_a_token_of_another_agent_sees_and_chooses_nothing(guarded, tokens, played, layer):
    candidate = await layer.policies.save(played, STRICT, by="ada")
    key = await sign_in(guarded, create(tokens, "somebody-else")[1])
    for page in (
        "policies",
        "what-if",
        "what-if/answer?evidence.min_item_share=1",
        f"policy?version={candidate.version}",
    ):
        answer = await guarded.get(of(played, page))
        assert answer.status_code == 403
        assert candidate.version not in answer.text
    fields = {"form_key": key, "role": "live", "version": candidate.version, "after": "0"}
    assert (await guarded.post(of(played, "policies/choose"), data=fields, headers=HERE)).status_code == 403
    guessed = await guarded.get(f"/ui/policy?agent=somebody-else&version={candidate.version}")
    assert guessed.status_code == 422


async def test_pages_say_what_to_do_where_there_is_nothing_yet(pages, agent):
    policies = (await pages.get(of(agent, "policies"))).text
    answer = (await pages.get(of(agent, "what-if/answer?evidence.min_item_share=0.9"))).text

    assert "No candidate is saved yet" in policies
    assert "No completed turn to compare with" in answer


async def test_notes_are_text(pages, played, layer):
    evil = "<script>document.title='owned'</script>"
    await layer.policies.save(played, STRICT, by=evil, note=evil)

    answer = await pages.get(of(played, "policies"))
    assert "<script>document" not in answer.text
    assert "&lt;script&gt;document" in answer.text
