"""What the browser is told to fetch while it starts."""

import re
from pathlib import Path

import pytest
import streamlit

from core import preload

LARGE = "x" * preload._LEAST_BYTES


@pytest.fixture
def static(tmp_path):
    """Write the scripts of a made-up Streamlit; return how to add one."""
    (tmp_path / "static/js").mkdir(parents=True)

    def add(name, text):
        (tmp_path / "static/js" / name).write_text(text)
        return tmp_path

    return add


def named(header):
    return re.findall(r"<\./static/js/([^>]+)>; rel=modulepreload; crossorigin", header)


def test_parts_come_with_what_they_need_but_for_small_files_and_those_of_the_page(static):
    static("DataFrame.a1.js", f'import{{a}}from"./shared.b2.js";import"./small.c3.js";{LARGE}')
    static("shared.b2.js", f'import*as x from"./deep.d4.js";import"./DataFrame.a1.js";{LARGE}')
    static("small.c3.js", 'import"./under-small.e5.js"')
    static("under-small.e5.js", LARGE)
    static(
        "deep.d4.js", f'const later=()=>import("./on-demand.f6.js");import"./index.g7.js";{LARGE}'
    )
    static("on-demand.f6.js", LARGE)
    static("index.g7.js", LARGE)
    folder = static("Unrelated.h8.js", LARGE)
    header = preload.links(folder, '<script src="./static/js/index.g7.js"></script>')
    assert named(header) == [
        "DataFrame.a1.js",
        "shared.b2.js",
        "deep.d4.js",
        "under-small.e5.js",
    ]


def test_another_streamlit_without_these_files_is_only_slower(tmp_path):
    assert preload.links(tmp_path, "") == ""


def test_a_file_that_is_named_and_missing_is_left_out(static):
    folder = static("Slider.a1.js", f'import"./gone.b2.js";{LARGE}')
    assert named(preload.links(folder, "")) == ["Slider.a1.js"]


def test_the_installed_streamlit_has_chart_and_table_within_the_header_of_a_proxy():
    static = Path(streamlit.__file__).parent / "static"
    page = (static / "index.html").read_text("utf-8")
    header = preload.links(static, page)
    files = named(header)
    assert {name.split(".")[0] for name in files} >= {"DataFrame", "ArrowVegaLiteChart", "embed"}
    assert not any(name in page for name in files)
    assert len(header) < 2000
