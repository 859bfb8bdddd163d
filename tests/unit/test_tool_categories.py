"""The categories of a tool: those that it states, and those that the words of its name show."""

from __future__ import annotations

import pytest

from benchmarks.tool_filter import measure
from cognitive.catalog.tool_variants import ToolVariants
from cognitive.errors import InvalidInput
from cognitive.plan import CATEGORIES
from cognitive.policy import Policy
from cognitive.preflight import plan as planning
from cognitive.preflight.category_table import category_table
from cognitive.preflight.rules.categories import CATEGORY_DEFINITIONS
from cognitive.preflight.rules.matching import RuleTable
from cognitive.preflight.rules.tool_names import TOOL_KINDS, TOOL_NAME_RULES
from cognitive.preflight.tool_categories import words
from cognitive.runtimes.tools import to_tool
from cognitive.tool import Tool
from tests.unit.test_equip import equipped

TABLE = category_table(Policy())


def kept(categories: tuple[str, ...], *tools: Tool, policy: Policy | None = None) -> tuple[str, ...]:
    policy = policy or Policy()
    return planning.add_tools(equipped(*categories, policy=policy), tools, None, policy).tools


@pytest.mark.parametrize("rule", TOOL_NAME_RULES, ids=lambda rule: rule.id)
def test_rule_matches_its_examples_and_not_its_counterexamples(rule):
    alone = RuleTable([rule])
    assert rule.examples
    assert rule.counterexamples
    for example in rule.examples:
        assert alone.fired(example.encode()), example
    for example in rule.counterexamples:
        assert not alone.fired(example.encode()), example


def test_every_kind_of_tool_has_rules_and_known_categories():
    assert {rule.signal for rule in TOOL_NAME_RULES} == set(TOOL_KINDS)
    assert {name for names in TOOL_KINDS.values() for name in names} <= set(CATEGORIES)
    assert len({rule.id for rule in TOOL_NAME_RULES}) == len(TOOL_NAME_RULES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("read_file", ("read file", "")),
        ("ReadFile", ("read file", "")),
        ("read-file", ("read file", "")),
        ("LSTool", ("ls tool", "")),
        ("mcp__github__getIssue", ("get issue", "github")),
        ("functions.exec_command", ("exec command", "")),
        ("Zebra.stripes/list", ("list", "zebra stripes")),
        ("读文件", ("读文件", "")),
        ("读file", ("读 file", "")),
        ("__", ("", "")),
    ],
)
def test_words_of_a_name_do_not_depend_on_its_style(name, expected):
    assert words(name) == expected


def test_names_of_one_tool_in_any_style_have_the_same_categories():
    for names in (("web_fetch", "WebFetch", "webFetch", "WEB_FETCH", "mcp__x__web_fetch"), ("Bash", "bash", "exec")):
        assert len({TABLE.categories_of(name) for name in names}) == 1


def test_rules_know_the_listed_tools_in_the_same_categories():
    """Only `message`, which speaks, is not recognised."""
    listed = {tool for need in CATEGORY_DEFINITIONS for tool in need.tools} - {"message"}
    for tool in listed:
        kinds = {
            name
            for rule in RuleTable(TOOL_NAME_RULES).fired(words(tool)[0].encode())
            for name in TOOL_KINDS[rule.signal]
        }
        assert kinds == {need.name for need in CATEGORY_DEFINITIONS if tool in need.tools}, tool


@pytest.mark.parametrize(
    "name", ["slack_read_channel", "gmail_read", "mcp__drive__read_file", "list_bank_transactions", "issue_refund",
             "get_branch_hours", "track_shipment", "recall_context", "TodoWrite", "create_event", "query",
             "get_item", "search_item", "get_content", "get_name", "search_content", "list_customer_issues",
             "report_issue", "create_issue_refund", "get_issue_details", "search_issues", "search_users"],
)  # fmt: skip
def test_names_that_no_rule_recognises_have_no_category(name):
    assert TABLE.categories_of(name) == frozenset()
    assert kept(("casual",), Tool(name=name)) == (name,)


def test_stated_category_is_used_for_a_name_that_no_rule_knows():
    ledger = Tool(name="ledger", category="crypto")
    assert kept(("crypto",), ledger) == ("ledger",)
    assert kept(("coding",), ledger) == ()
    assert kept(("coding",), Tool(name="ledger", category=["crypto", "coding"])) == ("ledger",)


def test_stated_category_adds_to_those_of_the_name():
    assert kept(("media",), Tool(name="Edit", category="media")) == ("Edit",)
    assert kept(("coding",), Tool(name="Edit", category="media")) == ("Edit",)
    assert kept(("memory",), Tool(name="Edit", category="media")) == ()


@pytest.mark.parametrize(
    "name", ["search_file_content", "view_code_item", "file_search", "code_search", "mcp__github__list_issues",
             "gitlab_create_issue", "list_pull_requests", "mcp__jira__get_issue"],
)  # fmt: skip
def test_names_about_files_code_and_repositories_are_of_coding(name):
    assert "coding" in TABLE.categories_of(name)


@pytest.mark.parametrize("stated", ["Crypto", "CRYPTO", ("coding", "cRypto")])
def test_stated_category_is_compared_without_case(stated):
    ledger = Tool(name="ledger", category=stated)
    assert kept(("crypto",), ledger) == ("ledger",)
    assert kept(("media",), ledger) == ()


def test_stated_category_matches_an_operators_category_in_any_case():
    own = Policy(categories={"rules": {"Gardening": {"extra_patterns": ["prune"], "extra_tools": ["shears"]}}})
    hose = Tool(name="hose", category="gardening")
    assert kept(("coding",), hose, policy=own) == ()
    assert kept(("Gardening",), hose, policy=own) == ("hose",)


def test_tool_of_a_category_that_the_policy_lacks_is_kept():
    own = Policy(categories={"rules": {"gardening": {"extra_patterns": ["prune"], "extra_tools": ["shears"]}}})
    hose = Tool(name="hose", category="gardening")
    assert kept(("coding",), hose) == ("hose",)
    assert kept(("coding",), hose, policy=own) == ()
    assert kept(("gardening",), hose, policy=own) == ("hose",)


@pytest.mark.parametrize("name", ["读文件", "??", "Ledger-Book"])
def test_any_name_can_be_listed(name):
    policy = Policy(categories={"always_include": (name,), "rules": {"crypto": {"extra_tools": [name]}}})
    assert kept(("coding",), Tool(name=name), policy=policy) == (name,)
    assert kept(("coding",), Tool(name=name), policy=policy.changed({"categories.always_include": ("!",)})) == ()


def test_disabled_category_does_not_recognise_tools():
    without = Policy(categories={"rules": {"memory": {"disabled": True}}})
    assert kept(("coding",), Tool(name="save_memory")) == ()
    assert kept(("coding",), Tool(name="save_memory"), policy=without) == ("save_memory",)


def test_category_is_not_sent_to_the_provider():
    assert "category" not in ToolVariants(Tool(name="ledger", category="crypto", id="7")).value


def test_adapters_take_the_category_from_a_tools_metadata():
    assert to_tool("ledger", None, None, {"category": "crypto"}) == Tool(name="ledger", category="crypto")
    assert to_tool("ledger", None, None, {"owner": "me"}) == to_tool("ledger", None, None) == Tool(name="ledger")
    assert to_tool("ledger", None, None, {"category": 7}) is None


@pytest.mark.parametrize("category", [" ", ["coding", ""], 7])
def test_invalid_category_of_a_tool_is_refused(category):
    with pytest.raises(InvalidInput, match="category"):
        Tool(name="x", category=category)


@pytest.mark.parametrize("stated", [False, True])
def test_needed_tools_stay_and_half_of_the_foreign_tools_go(stated):
    counts = measure(stated=stated)
    assert counts.kept_share >= 0.99, counts.lost
    assert counts.removed_share >= 0.5
