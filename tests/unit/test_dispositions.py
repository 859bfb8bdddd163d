"""Each disposition has a description in the demo and on the dashboard; a missing one would raise an error."""

from __future__ import annotations

from typing import get_args

from cognitive.cli import demo
from cognitive.dashboard import turn_detail
from cognitive.trace import Disposition

ALL = set(get_args(Disposition))


def test_demo_describes_every_disposition():
    assert set(demo._DROPPED) == ALL - {"shown"}


def test_turn_page_describes_every_disposition():
    assert set(turn_detail.DISPOSITIONS) == ALL
