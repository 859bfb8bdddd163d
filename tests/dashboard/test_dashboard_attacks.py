"""Attacks on the pages: scripts in what they show, file names, and invalid or large values."""

from __future__ import annotations

import re
from datetime import datetime
from html.parser import HTMLParser
from uuid import uuid4

import httpx
import pytest

from brain.analytics.paging import MAX_ROWS
from cognitive import NewMemory, Outcome, Tool, ToolCall, Turn
from cognitive.dashboard.app import PAGES
from cognitive.errors import InvalidInput
from tests.dashboard.conftest import DEPLOY

# Runs if it is not escaped in text, in an attribute with either quote, in an address or in a template.
EVIL = "<script>owned(1)</script>\"'><img src=x onerror=owned(2)>{{7*7}}${7*7}javascript:owned(3)"
SECRET = "The vault opens with the word Kestrel."
PATHS = [page.path for page in PAGES if "GET" in page.methods and not page.all_agents]
REQUIRED_PARAMS = {
    "/turn": "id=t",
    "/turn/prompt": "id=t",
    "/turn/replay": "id=t",
    "/turn/why": "id=t",
    "/turn/file": "id=t",
    "/turn/candidates": "id=t",
    "/chart": "id=turns",
    "/breakdown.csv": "by=runtime",
    "/memory": "id={memory}",
    "/memory/chart": "id={memory}&chart=boost",
    "/policy": "version={policy}",
    "/user": "user=ada",
    "/user/sessions.file": "user=ada",
    "/what-if/answer": "dedup.threshold=0.6",
    "/catalog.csv": "of=tools",
    "/health-chart": "id=degradation",
}
FORMS = [page.path for page in PAGES if "POST" in page.methods]
EXTREME_TIMES = ("0002-01-01T00:00:00+00:00", "9998-12-31T23:59:59+00:00")


def required_params(path, memory, layer, agent):
    """Return the parameters that a page requires, with ids that exist."""
    if path == "/conversation":
        return {"session": f"s{EVIL}"}
    params = REQUIRED_PARAMS.get(path, "").format(memory=memory, policy=layer.policies.base(agent).version)
    return dict(each.split("=") for each in params.split("&") if each)


@pytest.fixture(scope="module")
async def attack_agent(layer):
    """Yield an agent with a script in every field that a page may print, and the id of one of its memories."""
    name = f"agent-{uuid4().hex[:12]}{EVIL}"
    first, _ = await layer.remember(
        name,
        [
            NewMemory(
                type="fact",
                content=f"The ferry {EVIL} leaves at nine.",
                speaker=EVIL,
                session_id=f"s{EVIL}",
                source=f"source {EVIL}",
                tags=(EVIL,),
                entities=(EVIL,),
                context=EVIL,
            ),
            NewMemory(type="decision", content=f"The ferry waits for nobody {EVIL}.", pinned=True),
        ],
    )
    own = [NewMemory(type="fact", content=EVIL, speaker=EVIL, user_id=user) for user in ("ada", f"user {EVIL}")]
    await layer.remember(name, own)
    of_ada = Turn(agent_id=name, session_id=f"of ada {EVIL}", text=f"When {EVIL}?", user_id="ada")
    await layer.post_turn(await layer.pre_turn(of_ada), Outcome(response=EVIL))
    await layer.update(name, first, content=f"The ferry {EVIL} leaves at ten.", tags=(f"later {EVIL}",))
    candidate = await layer.policies.save(name, {"dedup.threshold": 0.7}, by=EVIL, note=EVIL)
    await layer.policies.shadow(name, candidate.version, by=EVIL, note=EVIL)
    turn = Turn(
        agent_id=name,
        session_id=f"s{EVIL}",
        turn_id="t",
        runtime=EVIL,
        model=EVIL,
        thinking=EVIL,
        text=f"When does the ferry {EVIL} leave?",
        tools=(Tool(name=f"tool {EVIL}", description=EVIL, parameters={}),),
    )
    response = f"The ferry {EVIL} leaves at nine."
    call = ToolCall(name=f"tool {EVIL}", result=EVIL, ok=True)
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=response, tool_calls=[call]))
    yield name, first
    await layer.erase_agent(name)


class Elements(HTMLParser):
    """The elements of a page with their attributes, as a browser parses them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def is_inert(answer: httpx.Response) -> bool:
    """Return whether a page has only elements and attributes of this server and no evaluated template."""
    if not answer.headers["content-type"].startswith("text/html"):
        return True
    for tag, attributes in Elements(answer.text).elements:
        addresses = [attributes.get(name) or "/" for name in ("href", "src", "action", "data-link", "hx-get")]
        foreign = [each for each in addresses if not each.startswith(("/ui", "#"))]
        ours = tag != "script" or (attributes.get("src") or "").startswith("/ui/static/")
        if (
            tag == "img"
            or not ours
            or foreign != ["/"] * len(foreign)
            or any(name.startswith("on") for name in attributes)
        ):
            return False
    return "{49}" not in answer.text and "ferry 49" not in answer.text


# --- scripts ---


@pytest.mark.parametrize("path", PATHS)
async def test_stored_scripts_are_escaped_on_every_page(pages, layer, attack_agent, path):
    name, memory = attack_agent
    for more in ({}, {"why": str(memory)}, {"why": "ferry"}, {"all": "yes"}, {"q": "ferry"}):
        answer = await pages.get(
            f"/ui{path}", params={"agent": name, **required_params(path, memory, layer, name), **more}
        )
        assert answer.status_code == 200
        assert is_inert(answer), (path, more)


@pytest.mark.parametrize("path", PATHS)
async def test_scripts_in_query_parameters_are_escaped_on_every_page(pages, attack_agent, path):
    params = (
        "q",
        "why",
        "session",
        "user",
        "policy",
        "frame",
        "category",
        "runtime",
        "tool",
        "stage",
        "disposition",
        "id",
        "range",
        "since",
        "until",
        "from",
        "to",
        "after",
        "by",
        "as",
        "min_ms",
        "status",
        "used",
    )
    for name in params:
        answer = await pages.get(f"/ui{path}", params={"agent": attack_agent[0], name: EVIL})
        assert answer.status_code < 500, (path, name)
        assert is_inert(answer), (path, name)


async def test_marked_passages_of_a_response_are_escaped(pages, layer, sample_agent):
    turn = Turn(agent_id=sample_agent, session_id="evil", text="When do we deploy?", turn_id="evil")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=f"{DEPLOY[:-1]} {EVIL}."))

    text = (await pages.get(f"/ui/turn?agent={sample_agent}&id=evil")).text

    (marked,) = re.findall(r"<mark[^>]*>(.*?)</mark>", text, re.DOTALL)
    assert "&lt;script&gt;owned" in marked
    assert "<" not in marked


# --- files ---


@pytest.mark.parametrize("id", ['x"; filename="evil.exe', "x\r\nSet-Cookie: a=b", "../../etc/passwd", EVIL])
async def test_request_cannot_set_the_name_or_headers_of_a_download(pages, attack_agent, id):
    for path, name in (("/ui/chart", "id"), ("/ui/breakdown.csv", "by")):
        answer = await pages.get(path, params={"agent": attack_agent[0], name: id})
        assert answer.status_code == 404
        assert "content-disposition" not in answer.headers
        assert "set-cookie" not in {key for key, value in answer.headers.items() if "a=b" in value}


async def test_download_has_a_fixed_file_name(pages, attack_agent):
    for path, params in (
        ("chart", {"id": "use"}),
        ("chart", {"id": "use", "as": "svg"}),
        ("breakdown.csv", {"by": "runtime"}),
    ):
        answer = await pages.get(f"/ui/{path}", params={"agent": attack_agent[0], **params})
        assert re.fullmatch(r'attachment; filename="[a-z]+\.(csv|svg)"', answer.headers["content-disposition"])
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_csv_cells_are_not_spreadsheet_formulas(pages, layer, agent):
    turn = Turn(agent_id=agent, session_id="s", text="Hello", turn_id="t", runtime='=HYPERLINK("http://x")')
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Hi"))

    answer = await pages.get(f"/ui/breakdown.csv?by=runtime&agent={agent}")

    assert "HYPERLINK" in answer.text
    assert not re.search(r"(?:^|[,\n])\"?=", answer.text)


# --- invalid values ---


@pytest.mark.parametrize("path", ["/overview", "/turns", "/memories", "/memory", "/what-if", "/catalog", "/health"])
async def test_extreme_numbers_and_times_do_not_break_a_page(pages, layer, agent, path):
    oldest, *_ = await layer.remember(
        agent,
        [NewMemory(type="fact", content=f"Of {at}", occurred_at=datetime.fromisoformat(at)) for at in EXTREME_TIMES],
    )
    pages.cookies.set("zone", "Asia/Kolkata")
    required = required_params(path, oldest, layer, agent)

    for name in ("since", "until", "after", "min_ms", "dedup.threshold"):
        for value in ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "9" * 400, "NaN", "~"):
            answer = await pages.get(f"/ui{path}", params={"agent": agent, **required, name: value})
            assert answer.status_code in (200, 422), (name, value)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-12:00"])
def test_time_outside_the_range_of_every_time_zone_is_refused(at):
    """Postgres stores the first possible moment as minus infinity, and reading that value failed."""
    with pytest.raises(InvalidInput, match="occurred_at"):
        NewMemory(type="fact", content="Long ago.", occurred_at=datetime.fromisoformat(at))


# --- large requests ---


async def test_query_cannot_raise_the_number_of_rows(pages, layer, agent):
    for name in ("limit", "all", "size", "rows"):
        answer = await pages.get(f"/ui/turns?agent={agent}&{name}=10000")
        assert answer.status_code == 200
    assert MAX_ROWS <= 500


async def test_overlong_parameters_are_cut_or_refused(pages, agent):
    for params in ({"q": "word " * 1_500}, {"why": "x" * 7_000}, {"session": "s" * 7_000}, {"after": "9" * 7_000}):
        answer = await pages.get("/ui/turns", params={"agent": agent, **params})
        assert answer.status_code in (200, 422)
        assert len(answer.content) < 60_000
