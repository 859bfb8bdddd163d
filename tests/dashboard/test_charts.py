"""Charts: drawn marks, texts, tables and files."""

import re
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


def parse_svg(svg):
    return ET.fromstring(str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


@given(VALUES)
@example([5e-324])
def test_line_chart_is_valid_xml_with_all_points_inside(values):
    tree = parse_svg(charts.line_chart(chart(*values)))

    assert tree.find(f"{SVG}title").text == "Turns"
    assert tree.find(f"{SVG}desc").text == "Turns per day."
    heights = [float(mark.get("cy").rstrip("%")) for mark in tree.iter(f"{SVG}circle")]
    assert len(heights) == sum(value is not None for value in values)
    assert all(0 <= height <= 100 for height in heights)


def test_missing_value_splits_the_line_and_single_point_is_a_dot():
    tree = parse_svg(charts.line_chart(chart(1, 2, None, 3)))

    stroke = next(path for path in tree.iter(f"{SVG}path") if "stroke" in path.get("class"))
    assert stroke.get("d").count("M") == 2
    assert [path.get("class") for path in tree.iter(f"{SVG}path")][-1] == "dot s0"


def test_bars_of_all_steps_have_the_same_width_and_are_inside():
    drawn = charts.line_chart(chart(1, 2, None, 3, bars=True))
    column = next(path for path in parse_svg(drawn).iter(f"{SVG}path") if "column" in path.get("class"))
    edges = [(float(left), float(right)) for left, right in re.findall(r"M([\d.]+) 100V.*?H([\d.]+)", column.get("d"))]
    assert [round(right - left, 1) for left, right in edges] == [175.0] * 3
    assert min(edges)[0] > 0
    assert max(edges)[1] < 1000


def test_names_and_links_are_escaped():
    evil = '"><script>alert(1)</script>'
    svg = str(charts.line_chart(chart(1, name=evil, links=(f"/x?{evil}",)))) + str(charts.bar(0.5, evil))

    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_chart_table_lists_the_drawn_values():
    assert chart(1200, None, format=compact).rows == [("day 0", "1.2k"), ("day 1", "–")]


def test_csv_cells_are_not_spreadsheet_formulas():
    table = charts.csv_table(("=HYPERLINK(1)", "n"), [("+cmd", [1.5]), ("plain", [None])])

    assert all(charts.escape_formula(f"{mark}cmd") == f"'{mark}cmd" for mark in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
    assert table == "'=HYPERLINK(1),n\r\n'+cmd,1.5\r\nplain,\r\n"


def test_chart_without_counts_is_empty():
    assert chart(None, 0).empty
    assert not chart(None, 1).empty


def test_svg_file_contains_its_styles_title_legend_and_period():
    named = chart(1, 2, name="turns of <b>", unit="turns per day")
    svg_file = ET.fromstring(charts.svg_file(named, "support · May", ".s0{stroke:red}"))
    texts = [each.text for each in svg_file.iter(f"{SVG}text")]

    assert svg_file.find(f"{SVG}style").text == ".s0{stroke:red}"
    assert {"Turns", "support · May", "turns of <b>", "turns per day"} <= set(texts)


def test_numbers_are_rounded_and_given_units():
    assert [percent(share) for share in (None, 0, 0.034, 0.5)] == ["–", "0%", "3.4%", "50%"]
    assert [milliseconds(ms) for ms in (0.0, 3.14, 84.2, 1530)] == ["0 ms", "3.1 ms", "84 ms", "1.53 s"]
    assert [compact(n) for n in (7, 0.0161, 12_345, 3_400_000)] == ["7", "0.016", "12.3k", "3.4m"]


def test_ages_use_one_unit(now):
    ages = [timedelta(seconds=5), timedelta(minutes=5), timedelta(hours=25), timedelta(days=400)]
    assert [ago(now - age, now) for age in ages] == ["just now", "5 min ago", "1 d ago", "1 y ago"]


def test_counts_are_bars_in_front_of_those_that_contain_them():
    lines = (ChartLine("shown", (4, 0, 2)), ChartLine("used", (1, None, 2)))
    tree = parse_svg(charts.line_chart(Chart("shown", "Shown", "", ("a", "b", "c"), lines, bars=True)))
    columns = [mark for mark in tree.iter(f"{SVG}path") if mark.get("class", "").startswith("column")]

    assert [mark.get("class") for mark in columns] == ["column s0", "column s1"]
    assert [mark.get("d").count("M") for mark in columns] == [2, 2]
    assert columns[0].get("d").startswith("M50 100V0H")
