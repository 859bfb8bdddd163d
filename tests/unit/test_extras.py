"""A missing package of an extra is named with the command that installs it, at every import that needs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MISSING = {  # by module of this product: a package that it needs, and the command's end
    "cognitive.runtimes.agent_framework": ("agent_framework", ".[agent-framework]"),
    "cognitive.runtimes.claude": ("claude_agent_sdk", ".[claude]"),
    "cognitive.runtimes.crewai": ("crewai", "crewai=="),
    "cognitive.runtimes.google_adk": ("google.adk", ".[google-adk]"),
    "cognitive.runtimes.hermes": ("agent", "hermes-agent=="),
    "cognitive.runtimes.langchain": ("langchain", ".[langchain]"),
    "cognitive.runtimes.langgraph": ("langgraph", ".[langchain]"),
    "cognitive.runtimes.litellm": ("litellm", "litellm[mcp]=="),
    "cognitive.runtimes.llamaindex": ("llama_index", ".[llamaindex]"),
    "cognitive.runtimes.openai_agents": ("agents", ".[openai-agents]"),
    "cognitive.runtimes.pydantic_ai": ("pydantic_ai", ".[pydantic-ai]"),
    "cognitive.runtimes.smolagents": ("smolagents", ".[smolagents]"),
    "cognitive.runtimes.strands": ("strands", ".[strands]"),
    "cognitive.runtimes.mcp": ("mcp", ".[mcp]"),
    "cognitive.client": ("httpx", ".[client]"),
    "cognitive.server.app": ("fastapi", ".[server]"),
    "cognitive.privacy.patterns": ("phonenumbers", ".[privacy]"),
}
IMPORTS = """
import importlib, json, sys
answers = {}
for module, package in json.loads(sys.argv[1]).items():
    sys.modules[package] = None
    try:
        importlib.import_module(module)
        answers[module] = "it was imported"
    except ModuleNotFoundError as error:
        answers[module] = str(error)
    del sys.modules[package]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def messages(root):
    missing = json.dumps({module: package for module, (package, _) in MISSING.items()})
    ran = subprocess.run([sys.executable, "-c", IMPORTS, missing], cwd=root, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("module", MISSING)
def test_import_without_its_extra_names_the_command(messages, module):
    package, command = MISSING[module]
    assert package.partition(".")[0] in messages[module]
    assert "run `pip install" in messages[module]
    assert command in messages[module]


@pytest.mark.parametrize(("command", "package", "extra"), [("serve", "fastapi", "server"), ("mcp", "mcp", "mcp")])
def test_command_without_its_extra_names_the_command_to_install_it(root, command, package, extra):
    code = f"import sys; sys.modules['{package}'] = None; from cognitive.cli.main import main; main()"
    words = [sys.executable, "-c", code, command, *(["--agent", "a"] if command == "mcp" else [])]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert ran.returncode == 1
    assert f"run `pip install -c constraints.txt '.[{extra}]'`" in ran.stderr
