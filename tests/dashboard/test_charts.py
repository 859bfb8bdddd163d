"""Charts are pure: what they draw, what they say, and what a spreadsheet gets."""

import xml.etree.ElementTree as ET
from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from cognitive.dashboard import charts
from cognitive.dashboard.charts import Chart, ChartLine
from cognitive.dashboard.formats import ago, compact, milliseconds, percent

SVG = "{http://www.w3.org/2000/svg}"
VALUES = st.lists(st.none() | st.floats(0, 1e9), min_size=1, max_size=40)


def chart(*values, name="turns", **more):
    steps = tuple(f"day {n}" for n in range(len(values)))
    return Chart("turns", "Turns", "Turns per day.", steps, (ChartLine(name, tuple(values)),), **more)


def drawn(svg):
    return ET.fromstring(str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


@given(VALUES)
@example([5e-324])
def test_every_chart_is_xml_with_a_title_and_a_description_and_nothing_lies_outside(values):
    tree = drawn(charts.line_chart(chart(*values)))

    assert tree.find(f"{SVG}title").text == "Turns"
    assert tree.find(f"{SVG}desc").text == "Turns per day."
    heights = [float(mark.get("cy").rstrip("%")) for mark in tree.iter(f"{SVG}circle")]
    assert len(heights) == sum(value is not None for value in values)
    assert all(0 <= height <= 100 for height in heights)


def test_a_gap_parts_a_line_and_a_lonely_point_is_a_dot():
    tree = drawn(charts.line_chart(chart(1, 2, None, 3)))

    stroke = next(path for path in tree.iter(f"{SVG}path") if "stroke" in path.get("class"))
    assert stroke.get("d").count("M") == 2
    assert [path.get("class") for path in tree.iter(f"{SVG}path")][-1] == "dot s0"


def test_names_are_text_wherever_they_stand():
    evil = '"><script>alert(1)</script>'
    svg = str(charts.line_chart(chart(1, name=evil, links=(f"/x?{evil}",)))) + str(charts.bar(0.5, evil))

    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_the_table_beside_a_chart_says_what_it_draws():
    assert chart(1200, None, format=compact).rows == [("day 0", "1.2k"), ("day 1", "–")]


def test_no_cell_is_a_formula_to_a_spreadsheet():
    told = charts.csv_table(("=HYPERLINK(1)", "n"), [("+cmd", [1.5]), ("plain", [None])])

    assert told == "'=HYPERLINK(1),n\r\n'+cmd,1.5\r\nplain,\r\n"


def test_nothing_counted_is_no_chart():
    assert chart(None, 0).empty
    assert not chart(None, 1).empty


def test_a_saved_chart_brings_its_own_colours():
    svg_file = ET.fromstring(charts.svg_file(charts.line_chart(chart(1, 2)), ".s0{stroke:red}"))

    assert svg_file.find(f"{SVG}style").text == ".s0{stroke:red}"


def test_numbers_are_written_as_they_are_read():
    assert [percent(share) for share in (None, 0, 0.034, 0.5)] == ["–", "0%", "3.4%", "50%"]
    assert [milliseconds(ms) for ms in (0.0, 3.14, 84.2, 1530)] == ["0 ms", "3.1 ms", "84 ms", "1.53 s"]
    assert [compact(n) for n in (7, 0.0161, 12_345, 3_400_000)] == ["7", "0.016", "12.3k", "3.4m"]


def test_ages_have_one_unit(now):
    ages = [timedelta(seconds=5), timedelta(minutes=5), timedelta(hours=25), timedelta(days=400)]
    assert [ago(now - age, now) for age in ages] == ["just now", "5 min ago", "1 d ago", "1 y ago"]
