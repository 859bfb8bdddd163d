"""Tokens are stored as digests in a private file, are valid for one agent or an admin, and can be revoked."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.errors import InvalidInput, PolicyError
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import Caller, Tokens, create, load, revoke


@pytest.fixture
def file(tmp_path):
    return tmp_path / "new" / "tokens.toml"


def test_agent_token_is_limited_to_its_agent_and_admin_token_is_not(file):
    (id, token), (_, admin) = create(file, "a"), create(file, None)
    tokens = Tokens(file)
    assert tokens.caller(token) == Caller(id, "a")
    assert tokens.caller(token).may("a")
    assert not tokens.caller(token).may("b")
    assert not tokens.caller(token).may("A")
    assert tokens.caller(admin).may("b")


def test_token_names_its_user_and_its_right_to_see_all_users(file):
    (one, of_user), (two, operator), (three, admin) = (
        create(file, "a", user='ann "x"'),
        create(file, "a", operator=True),
        create(file, None),
    )
    tokens = Tokens(file)
    assert tokens.caller(of_user) == Caller(one, "a", user='ann "x"')
    assert tokens.caller(operator) == Caller(two, "a", operator=True)
    assert tokens.caller(admin) == Caller(three, None, operator=True)


@pytest.mark.parametrize("rights", [{"user": ""}, {"user": "u", "operator": True}, {"user": "u", "agent": None}])
def test_contradictory_rights_of_a_token_are_refused(file, rights):
    with pytest.raises(InvalidInput, match="user"):
        create(file, rights.pop("agent", "a"), **rights)
    assert not file.exists()


def test_token_file_holds_only_digests_and_is_private(file):
    _, token = create(file, "a")
    assert token.split("_")[2] not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t[:-1],
        lambda t: t + "0",
        lambda t: t.upper(),
        lambda t: t.replace("cog", "gog"),
        lambda t: "",
        lambda t: t.rpartition("_")[0],
        lambda t: "cog__",
        lambda t: "_" + t,
        lambda t: "é\ud800_a_b",
    ],
)
def test_malformed_token_is_rejected(file, change):
    _, token = create(file, "a")
    assert Tokens(file).caller(change(token)) is None


def test_secret_of_another_token_is_rejected(file):
    (one, first), (other, _) = create(file, "a"), create(file, None)
    assert Tokens(file).caller(first.replace(one, other)) is None


def test_running_server_applies_changes_of_the_token_file(file):
    id, token = create(file, "a")
    tokens = Tokens(file)
    _, later = create(file, "b")
    assert tokens.caller(later).agent == "b"
    assert revoke(file, id).agent == "a"
    assert tokens.caller(token) is None
    assert tokens.caller(later).agent == "b"
    file.unlink()
    assert tokens.caller(later) is None, "without the file no token is valid"
    file.write_text("what is this")
    assert tokens.caller(later) is None


def test_token_file_readable_by_others_is_refused(file):
    create(file, "a")
    file.chmod(0o640)
    with pytest.raises(PolicyError, match="chmod 600"):
        Tokens(file)


def test_lock_file_is_private(file):
    create(file, "a")
    assert {stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()} == {0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the owner of a file")
def test_token_file_of_another_owner_is_refused(file):
    create(file, "a")
    os.chown(file, 12_345, -1)
    with pytest.raises(PolicyError, match="another user"):
        Tokens(file)


def test_symbolic_link_to_the_token_file_is_preserved(file, tmp_path):
    create(file, "a")
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    id, token = create(link, "b")
    assert link.is_symlink()
    assert Tokens(file).caller(token).agent == "b"
    revoke(link, id)
    assert Tokens(link).caller(token) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("]", "not TOML"),
        ("[a]\nsha256 = 'x'\ncreated = 2026-01-01T00:00:00Z", "sha256"),
        ("[a]\nagnet = 'x'", "agnet"),
        ("a = 1", "valid dictionary"),
    ],
)
def test_invalid_token_file_is_refused_with_its_path(tmp_path, text, message):
    file = tmp_path / "tokens.toml"
    file.touch(0o600)
    file.write_text(text)
    with pytest.raises(PolicyError, match=message) as raised:
        load(file)
    assert str(file) in str(raised.value)


def test_revoking_an_unknown_token_fails(file):
    create(file, "a")
    with pytest.raises(InvalidInput, match="'nothing'"):
        revoke(file, "nothing")


@given(agent=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip))
def test_token_file_stores_any_agent_name(tmp_path_factory, agent):
    file = tmp_path_factory.mktemp("t") / "tokens.toml"
    _, token = create(file, agent)
    assert Tokens(file).caller(token).agent == agent


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.5", "memory.internal"])
def test_remote_address_requires_tokens(file, host):
    config = ServerConfig(host=host)
    with pytest.raises(PolicyError, match="cognitive token create"):
        config.known_tokens()
    create(file, "a")
    assert ServerConfig(host=host, tokens=file).known_tokens() is not None


@pytest.mark.parametrize("config", [{}, {"host": "::1"}, {"host": "127.8.0.1"}, {"host": "0.0.0.0", "socket": "/s"}])
def test_local_address_requires_no_tokens(config, file):
    assert ServerConfig(**config).known_tokens() is None
    with pytest.raises(PolicyError, match="no tokens"):
        ServerConfig(**config, tokens=file).known_tokens()
    create(file, "a")
    assert ServerConfig(**config, tokens=file).known_tokens() is not None


def test_unknown_option_is_refused_by_name():
    with pytest.raises(InvalidInput, match="prot"):
        ServerConfig(prot=1)
