"""Run the checks of a framework in its own environment, since its dependencies conflict with the others.

python tests/environments/check.py crewai|litellm|hermes|web [--directory DIR]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PINS = {
    "crewai": "crewai==1.15.30",
    "hermes": "hermes-agent==0.19.0",
    "litellm": "litellm[mcp]==1.106.2",
    "web": "flask==3.1.3 streamlit==1.67.0",
}
TESTING = ("hypothesis", "pytest", "pytest-asyncio")
ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=PINS)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "cognitive-environments")
    arguments = parser.parse_args()
    python = environment(arguments.directory / arguments.framework, PINS[arguments.framework])
    checks = Path(__file__).with_name(f"{arguments.framework}_check.py")
    # warnings of the framework do not fail its checks; pytest-xdist is not installed
    command = [
        python,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=-q",
        "-o",
        "filterwarnings=default",
        checks,
    ]
    settings = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=False).returncode


def environment(folder: Path, pin: str) -> Path:
    """Return the interpreter of an environment with the framework and this package; create it if necessary."""
    python, marker = folder / "bin" / "python", folder / "made-with"
    if not marker.exists() or marker.read_text() != pin:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *pin.split(), *TESTING, ROOT], check=True)
        marker.write_text(pin)
    return python


if __name__ == "__main__":
    sys.exit(main())
