"""The agent id of a project: one for a repository, wherever it is; one for each other folder."""

from __future__ import annotations

import os
import subprocess

import pytest

from cognitive.hook.project import find_project, project_of


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Run Git with settings of its own."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "gitconfig").write_text("[user]\nname = Ada\nemail = Ada@Example.com\n")

    def run(folder, *arguments):
        return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True).stdout

    return run


@pytest.fixture
def shop(git, tmp_path):
    """Return the folder of a repository with two commits."""
    folder = tmp_path / "Web Shop"
    folder.mkdir()
    git(folder, "init", "-b", "main")
    for name in ("a", "b"):
        (folder / name).write_text(name)
        git(folder, "add", ".")
        git(folder, "commit", "-m", name)
    return folder


def test_repository_keeps_its_id_in_clones_worktrees_and_folders(shop, git, tmp_path):
    agent = find_project(str(shop)).agent
    assert agent.startswith("repo-")
    (shop / "src").mkdir()
    assert find_project(str(shop / "src")).agent == agent
    git(shop, "worktree", "add", "-b", "feature", str(tmp_path / "feature"))
    git(tmp_path, "clone", str(shop), "copy")
    for other in ("feature", "copy"):
        assert find_project(str(tmp_path / other)).agent == agent
    git(shop, "remote", "add", "origin", "https://example.com/acme/shop.git")
    shop.rename(tmp_path / "renamed")
    assert find_project(str(tmp_path / "renamed")).agent == agent


def test_repositories_have_different_ids(shop, git, tmp_path):
    other = tmp_path / "other" / "Web Shop"
    other.mkdir(parents=True)
    git(other, "init")
    git(other, "commit", "--allow-empty", "-m", "another")
    assert find_project(str(other)).agent != find_project(str(shop)).agent


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/Acme/shop.git",
        "https://ada:token@github.com/acme/shop",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com:22/acme/shop/",
    ],
)
def test_shallow_clone_is_known_by_its_remote_address(shop, git, tmp_path, address):
    git(tmp_path, "clone", "--depth", "1", f"file://{shop}", "shallow")
    git(tmp_path / "shallow", "remote", "set-url", "origin", address)
    project = find_project(str(tmp_path / "shallow"))
    assert (project.agent, project.origin) == ("repo-c566806a55dc", "the address of the remote origin")


def test_git_setting_chooses_the_id(shop, git):
    git(shop, "config", "cognitive.agent", "shop-team")
    assert find_project(str(shop)).agent == "shop-team"


def test_user_is_the_one_of_git(shop, git):
    assert find_project(str(shop)).user == "ada@example.com"
    git(shop, "config", "--global", "user.email", "bob@example.com")
    assert find_project(str(shop)).user == "bob@example.com"


def test_user_may_be_chosen_by_folder_in_an_included_file(shop, git, tmp_path):
    (tmp_path / "work").write_text("[user]\nemail = ada@work.example\n")
    git(shop, "config", "--global", f"includeIf.gitdir:{os.path.realpath(shop)}/.path", str(tmp_path / "work"))
    assert find_project(str(shop)).user == "ada@work.example"


def test_repository_cannot_choose_the_user(shop, git):
    git(shop, "config", "user.email", "bob@example.com")
    assert find_project(str(shop)).user == "ada@example.com"


def test_missing_commit_runs_no_command_of_the_repository(shop, git, tmp_path):
    git(tmp_path, "clone", "--bare", "--no-hardlinks", str(shop), "remote")
    git(shop, "config", "core.repositoryFormatVersion", "1")
    git(shop, "config", "extensions.partialClone", "origin")
    git(shop, "config", "remote.origin.url", str(tmp_path / "remote"))
    git(shop, "config", "remote.origin.promisor", "true")
    git(shop, "config", "remote.origin.uploadpack", f"touch '{tmp_path / 'ran'}'; false")
    git(shop, "config", "core.fsmonitor", f"touch '{tmp_path / 'ran'}'; false")
    first = git(shop, "rev-list", "--max-parents=0", "HEAD").decode().strip()
    (shop / ".git" / "objects" / first[:2] / first[2:]).unlink()
    project = find_project(str(shop))
    assert not (tmp_path / "ran").exists()
    assert project.origin == "the folder's path"


def test_other_repository_in_the_environment_is_ignored(shop, git, tmp_path, monkeypatch):
    agent = find_project(str(shop)).agent
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert find_project(str(shop)).agent == agent


def test_folder_without_commits_is_known_by_its_path(git, tmp_path):
    (tmp_path / "Web Shop" / ".git").mkdir(parents=True)
    (tmp_path / "Web Shop" / "src" / "app").mkdir(parents=True)
    name = find_project(str(tmp_path / "Web Shop" / "src" / "app")).agent
    assert name == find_project(str(tmp_path / "Web Shop")).agent
    assert name.startswith("Web-Shop-")
    (tmp_path / "link").symlink_to(tmp_path / "Web Shop")
    assert find_project(str(tmp_path / "link")).agent == name
    (tmp_path / "other" / "Web Shop").mkdir(parents=True)
    assert find_project(str(tmp_path / "other" / "Web Shop")).agent != name
    assert project_of(str(tmp_path / "other")) == os.path.realpath(tmp_path / "other")
    assert find_project("/").agent.startswith("project-")


def test_id_comes_from_the_path_without_git(shop, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    project = find_project(str(shop))
    assert (project.origin, project.user) == ("the folder's path", None)
