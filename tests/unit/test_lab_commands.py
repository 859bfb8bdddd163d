"""The commands on recorded turns: their starting policy, refusals and output."""

from __future__ import annotations

import io

import pytest
from click.testing import CliRunner
from making import AT, uid
from rich.console import Console

from brain.settings import Settings
from cognitive.cli.tune import command as tune
from cognitive.cli.why import candidate_line
from cognitive.errors import PolicyError
from cognitive.lab.why import Explanation
from cognitive.policy import Policy
from cognitive.policy.configured import live_policy


def test_live_policy_is_the_configured_file_or_the_default(tmp_path):
    path = tmp_path / "live.toml"
    path.write_text("[evidence]\nmin_item_share = 0.6\n", encoding="utf-8")
    assert live_policy(Settings(policy=path)) == Policy(evidence={"min_item_share": 0.6})
    assert live_policy(Settings(policy=None)) == Policy()
    with pytest.raises(PolicyError, match=r"none\.toml"):
        live_policy(Settings(policy=tmp_path / "none.toml"))


def test_tune_reads_the_live_policy_first(tmp_path):
    """An unreadable live policy ends the command before any turn is read."""
    path = tmp_path / "live.toml"
    path.write_text("no_such_tunable = 1\n", encoding="utf-8")
    ran = CliRunner().invoke(
        tune, ["--agent", "a", "--out", str(tmp_path / "new.toml")], env={"COGNITIVE_POLICY": str(path)}
    )
    assert ran.exit_code == 1
    assert "no_such_tunable" in ran.output


def test_tune_refuses_to_overwrite_an_existing_file(tmp_path):
    path = tmp_path / "live.toml"
    path.write_text("[evidence]\nmin_item_share = 0.6\n", encoding="utf-8")
    ran = CliRunner().invoke(tune, ["--agent", "a", "--out", str(path)], env={"COGNITIVE_POLICY": str(path)})
    assert ran.exit_code == 2
    assert "exists already" in ran.output
    assert path.read_text(encoding="utf-8") == "[evidence]\nmin_item_share = 0.6\n"


def test_candidate_line_is_complete_on_a_narrow_terminal():
    story = "Not shown: place 7 among the facts, the plan asks for 5. It scored 0.400, the last one shown 0.500."
    result = Explanation("t", uid(5), AT, "over_limit", "place 7", rank=7, summary=story)
    narrow = Console(file=io.StringIO(), width=80)
    narrow.print(candidate_line(result, None))
    lines = narrow.file.getvalue().splitlines()
    assert " ".join(" ".join(lines).split()) == f"7 over_limit {story} (erased) {uid(5)}"
    assert len(lines) == 2
    assert str(uid(5)) in lines[-1]
