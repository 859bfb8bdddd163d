"""What somebody tries against the pages: words that run, names that guess, forms and frames of other sites, floods."""

from __future__ import annotations

import re
from datetime import datetime
from html.parser import HTMLParser
from itertools import product
from uuid import uuid4

import httpx
import pytest

from brain.analytics.paging import MAX_ROWS
from cognitive import NewMemory, Outcome, Tool, ToolCall, Turn
from cognitive.dashboard.app import PAGES
from cognitive.errors import InvalidInput
from cognitive.server.tokens import create
from tests.dashboard.conftest import DEPLOY

# What runs where it is not escaped: in text, in an attribute with either quote, in an address, in a template.
EVIL = "<script>owned(1)</script>\"'><img src=x onerror=owned(2)>{{7*7}}${7*7}javascript:owned(3)"
SECRET = "The vault opens with the word Kestrel."
TOP = [page.path for page in PAGES if "GET" in page.methods and not page.all_agents]
NEEDED = {
    "/turn": "id=t",
    "/turn/prompt": "id=t",
    "/turn/replay": "id=t",
    "/turn/why": "id=t",
    "/chart": "id=turns",
    "/breakdown.csv": "by=runtime",
    "/memory": "id={memory}",
    "/memory/chart": "id={memory}&chart=boost",
    "/policy": "version={policy}",
    "/what-if/answer": "dedup.threshold=0.6",
    "/catalog.csv": "of=tools",
    "/health-chart": "id=degradation",
}
FORMS = [page.path for page in PAGES if "POST" in page.methods]
AGES = ("0002-01-01T00:00:00+00:00", "9998-12-31T23:59:59+00:00")


def needed(path, memory, layer, agent):
    """What a page asks for, of what there is."""
    told = NEEDED.get(path, "").format(memory=memory, policy=layer.policies.base(agent).version)
    return dict(each.split("=") for each in told.split("&") if each)


@pytest.fixture
async def evil(layer, agent):
    """An agent in which every field that a page may print is an attack."""
    name = f"{agent}{EVIL}"
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
    await layer.update(name, first, content=f"The ferry {EVIL} leaves at ten.", tags=(f"later {EVIL}",))
    svg_file = await layer.policies.save(name, {"dedup.threshold": 0.7}, by=EVIL, note=EVIL)
    await layer.policies.shadow(name, svg_file.version, by=EVIL, note=EVIL)
    turn = Turn(
        agent_id=name,
        session_id=f"s{EVIL}",
        user_id=EVIL,
        turn_id="t",
        runtime=EVIL,
        model=EVIL,
        thinking=EVIL,
        text=f"When does the ferry {EVIL} leave?",
        tools=(Tool(name=f"tool {EVIL}", description=EVIL, parameters={}),),
    )
    response = f"The ferry {EVIL} leaves at nine."
    called = ToolCall(name=f"tool {EVIL}", result=EVIL, ok=True)
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=response, tool_calls=[called]))
    yield name, first
    await layer.erase_agent(name)


class Elements(HTMLParser):
    """What a browser would make of a page: its elements with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def inert(answer: httpx.Response) -> bool:
    """Whether a page holds no element and no attribute of somebody else's, and evaluated nothing."""
    if not answer.headers["content-type"].startswith("text/html"):
        return True
    for tag, attributes in Elements(answer.text).found:
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


# --- stored script ---


@pytest.mark.parametrize("path", TOP)
async def test_whatever_is_stored_stays_text_on_every_page(pages, layer, evil, path):
    name, memory = evil
    for more in ({}, {"why": str(memory)}, {"why": "ferry"}, {"all": "yes"}, {"q": "ferry"}):
        answer = await pages.get(f"/ui{path}", params={"agent": name, **needed(path, memory, layer, name), **more})
        assert answer.status_code == 200
        assert inert(answer), (path, more)


@pytest.mark.parametrize("path", TOP)
async def test_whatever_is_asked_stays_text_on_every_page(pages, evil, path):
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
        answer = await pages.get(f"/ui{path}", params={"agent": evil[0], name: EVIL})
        assert answer.status_code < 500, (path, name)
        assert inert(answer), (path, name)


async def test_a_marked_response_is_text_between_its_marks(pages, layer, played):
    turn = Turn(agent_id=played, session_id="evil", text="When do we deploy?", turn_id="evil")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=f"{DEPLOY[:-1]} {EVIL}."))

    text = (await pages.get(f"/ui/turn?agent={played}&id=evil")).text

    (marked,) = re.findall(r"<mark[^>]*>(.*?)</mark>", text, re.DOTALL)
    assert "&lt;script&gt;owned" in marked
    assert "<" not in marked


# --- files ---


@pytest.mark.parametrize("id", ['x"; filename="evil.exe', "x\r\nSet-Cookie: a=b", "../../etc/passwd", EVIL])
async def test_nobody_chooses_the_name_or_the_headers_of_a_file(pages, evil, id):
    for path, name in (("/ui/chart", "id"), ("/ui/breakdown.csv", "by")):
        answer = await pages.get(path, params={"agent": evil[0], name: id})
        assert answer.status_code == 404
        assert "content-disposition" not in answer.headers
        assert "set-cookie" not in {key for key, value in answer.headers.items() if "a=b" in value}


async def test_a_files_name_is_one_of_ours(pages, evil):
    for path, params in (
        ("chart", {"id": "use"}),
        ("chart", {"id": "use", "as": "svg"}),
        ("breakdown.csv", {"by": "runtime"}),
    ):
        answer = await pages.get(f"/ui/{path}", params={"agent": evil[0], **params})
        assert re.fullmatch(r'attachment; filename="[a-z]+\.(csv|svg)"', answer.headers["content-disposition"])
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_no_cell_of_a_file_is_a_formula(pages, layer, agent):
    turn = Turn(agent_id=agent, session_id="s", text="Hello", turn_id="t", runtime='=HYPERLINK("http://x")')
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Hi"))

    answer = await pages.get(f"/ui/breakdown.csv?by=runtime&agent={agent}")

    assert "HYPERLINK" in answer.text
    assert not re.search(r"(?:^|[,\n])\"?=", answer.text)


# --- other agents ---


@pytest.mark.parametrize("path", TOP)
async def test_no_page_tells_a_token_of_another_agents_memory(guarded, layer, agent, tokens, path):
    other = f"{agent}-other"
    (secret,) = await layer.remember(other, [NewMemory(type="fact", content=SECRET)])
    turn = Turn(agent_id=other, session_id="s", text="What opens the vault?", turn_id="t")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=SECRET))
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    asked = needed(path, secret, layer, agent)

    for name, more in product((other, agent), ({}, {"why": str(secret)}, {"q": "vault"}, {"session": "s"})):
        answer = await guarded.get(f"/ui{path}", params={"agent": name, **asked, **more})
        assert answer.status_code == 403 if name == other else answer.status_code in (200, 404)
        assert "Kestrel" not in answer.text


@pytest.mark.parametrize("path", ["/memory", "/memory/chart", "/turn/why", "/turns/why", "/policy", *FORMS])
async def test_what_is_another_agents_is_answered_as_what_does_not_exist(guarded, layer, agent, tokens, path):
    other, id = f"{agent}-other", "t"
    (foreign,) = await layer.remember(other, [NewMemory(type="fact", content=SECRET)])
    svg_file = await layer.policies.save(other, {"dedup.threshold": 0.7}, by="somebody")
    for name in (agent, other):
        turn = Turn(agent_id=name, session_id="s", text="What opens the vault?", turn_id=id)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Nobody knows."))
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)

    async def asked(memory: str, policy: str) -> tuple[int, str]:
        told = {"id": id if path == "/turn/why" else memory, "why": memory, "chart": "boost", "version": policy}
        form = {**told, "form_key": "k" * 43, "turn": id, "useful": "yes", "content": "Mine.", "sure": "yes"}
        where, query = f"/ui{path}", {"agent": agent, **told}
        answer = await (
            guarded.post(where, params=query, data=form) if path in FORMS else guarded.get(where, params=query)
        )
        return answer.status_code, answer.text.replace(memory, "M").replace(policy, "P")

    assert await asked(str(foreign), svg_file.version) == await asked(str(uuid4()), "0" * len(svg_file.version))
    assert [each.content for each in await layer.get(other, [foreign])] == [SECRET]


@pytest.mark.parametrize("path", FORMS)
async def test_nothing_is_written_for_a_foreign_agent(guarded, layer, agent, tokens, path):
    other = f"{agent}-other"
    (foreign,) = await layer.remember(other, [NewMemory(type="fact", content=SECRET)])
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)
    form = {"form_key": "k" * 43, "id": str(foreign), "sure": "yes", "version": "0", "content": "Mine.", "agent": agent}

    answer = await guarded.post(f"/ui{path}?agent={agent}&agent={other}", data=form)

    assert answer.status_code == 403
    assert [each.content for each in await layer.get(other, [foreign])] == [SECRET]


@pytest.mark.parametrize("agent_of_query", ["a&agent=", "", "%00", "%ff", "a" * 5_000, "..%2f..", "*"])
async def test_a_name_that_is_nobodys_opens_nothing(guarded, tokens, agent, agent_of_query):
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])

    answer = await guarded.get(f"/ui/turns?agent={agent_of_query}")

    assert answer.status_code in (200, 303, 403, 422)
    assert "data-row" not in answer.text


@pytest.mark.parametrize("path", ["static/../app.py", "static/%2e%2e/app.py", "static/..%2f..%2fpolicy.py"])
async def test_no_path_leads_out_of_the_pages(pages, path):
    answer = await pages.get(f"/ui/{path}")

    assert answer.status_code in (401, 404)
    assert "import" not in answer.text


# --- other sites ---


@pytest.mark.parametrize("path", [*FORMS, "/login", "/logout"])
@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {}]
)
async def test_a_form_of_another_site_is_refused(guarded, tokens, agent, path, headers):
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)

    answer = await guarded.post(f"/ui{path}?agent={agent}", data={"form_key": "guessed"}, headers=headers)

    assert answer.status_code == 403


@pytest.mark.parametrize("path", [*FORMS, "/login"])
async def test_a_form_in_parts_which_names_its_own_character_set_is_not_read(guarded, tokens, agent, path):
    """Of 200 kB in this one, which anybody may send to the door, Python made words for a minute."""
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)
    parts = 'multipart/form-data; boundary="b"; charset=punycode'
    body = b'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n' + b"b" * 1_000 + b"\r\n--b--\r\n"

    answer = await guarded.post(f"/ui{path}?agent={agent}", content=body, headers={"Content-Type": parts})

    assert answer.status_code == 415


@pytest.mark.parametrize("path", [*TOP, "/login", "/static/app.js", "/nowhere"])
async def test_no_site_may_frame_a_page_and_no_page_leaks_its_address(pages, agent, path):
    answer = await pages.get(f"/ui{path}?agent={agent}&{NEEDED.get(path, '')}")

    assert answer.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", ""])
async def test_a_name_that_was_rebound_reaches_no_page(pages, agent, host):
    for path in ("/", "/login", "/turns", "/static/app.js"):
        assert (await pages.get(f"/ui{path}?agent={agent}", headers={"Host": host})).status_code == 421


# --- what makes no sense ---


@pytest.mark.parametrize("path", ["/overview", "/turns", "/memories", "/memory", "/what-if", "/catalog", "/health"])
async def test_no_number_and_no_time_breaks_a_page(pages, layer, agent, path):
    oldest, *_ = await layer.remember(
        agent, [NewMemory(type="fact", content=f"Of {at}", occurred_at=datetime.fromisoformat(at)) for at in AGES]
    )
    pages.cookies.set("zone", "Asia/Kolkata")
    own = needed(path, oldest, layer, agent)

    for name in ("since", "until", "after", "min_ms", "dedup.threshold"):
        for value in ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "9" * 400, "NaN", "~"):
            answer = await pages.get(f"/ui{path}", params={"agent": agent, **own, name: value})
            assert answer.status_code in (200, 422), (name, value)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-12:00"])
def test_a_memory_is_of_a_time_that_every_zone_has(at):
    """Postgres takes the first moment of all for minus infinity: whoever read it then broke over it."""
    with pytest.raises(InvalidInput, match="occurred_at"):
        NewMemory(type="fact", content="Long ago.", occurred_at=datetime.fromisoformat(at))


# --- floods ---


async def test_no_address_asks_for_a_page_of_ten_thousand_rows(pages, layer, agent):
    for name in ("limit", "all", "size", "rows"):
        answer = await pages.get(f"/ui/turns?agent={agent}&{name}=10000")
        assert answer.status_code == 200
    assert MAX_ROWS <= 500


async def test_long_words_and_many_of_them_are_cut_or_refused(pages, agent):
    for params in ({"q": "word " * 1_500}, {"why": "x" * 7_000}, {"session": "s" * 7_000}, {"after": "9" * 7_000}):
        answer = await pages.get("/ui/turns", params={"agent": agent, **params})
        assert answer.status_code in (200, 422)
        assert len(answer.content) < 60_000
