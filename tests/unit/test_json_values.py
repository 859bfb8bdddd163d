"""Arguments and results of calls are converted to JSON; JSON values stay unchanged."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from cognitive.window.output.json_values import as_text, jsonable

TEXT = st.text(st.characters(codec="utf-8"), max_size=5)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
)
ODD = st.recursive(
    st.text(max_size=3) | st.floats() | st.binary(max_size=3) | st.dates() | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers() | st.text() | st.dates(), inner),
)


@given(PLAIN)
def test_json_values_stay_unchanged(value):
    assert jsonable(value) == value
    assert json.loads(as_text(value)) == value


@given(ODD)
def test_any_value_converts_to_valid_json(value):
    written = json.dumps(jsonable(value), allow_nan=False, ensure_ascii=False).encode()
    assert json.loads(written) == jsonable(value) == jsonable(jsonable(value))


def test_cyclic_and_unprintable_values_are_converted():
    class Unwritable:
        def __str__(self):
            raise RuntimeError("no text")

    loop = {"it": Unwritable()}
    loop["self"] = loop
    assert json.loads(as_text(loop))["self"]["it"] == "<Unwritable>"
    assert as_text({2, 1, 3}) == "[1, 2, 3]"
    assert as_text(10**5000) == '"<int>"'
