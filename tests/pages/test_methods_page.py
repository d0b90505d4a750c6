"""The definitions and the reproduced studies as the page shows them."""

from reading import number, said

from core import handbook

PAGE = "data/methods"


def test_every_section_of_the_document_is_on_the_page(visit, tmp_path):
    sections = handbook.sections()
    opened = {f"about-{section.anchor}": "true" for section in sections[:3]}
    at = visit(PAGE, **opened)
    shown = {box.label for box in at.expander}
    assert len(sections) > 8
    assert {s.title for s in sections} - {"Reproduced studies"} <= shown
    assert all(section.text.replace("\\", "") in said(at) for section in sections[:3])
    path = tmp_path / "m.md"
    path.write_text("# T\nintro\n\n## One, two\na [b](../c.py) [d](https://e.org)\n### x\n\n## Z\n")
    assert handbook.sections(path) == (
        handbook.Section("One, two", "one-two", "a `b` [d](https://e.org)\n### x"),
        handbook.Section("Z", "z", ""),
    )


def test_the_summary_counts_what_the_table_lists(visit, bundled):
    at = visit(PAGE)
    table = at.dataframe[0].value
    agree = (table["Agreement"] == "agrees").sum()
    assert number(r"(\d+) of (\d+) published numbers", at) == [agree, len(table)]
    lacking = (table["Agreement"] == "not computed").sum()
    assert number(r"(\d+) numbers cannot be computed", at) == [lacking]
    assert all(table[table["Agreement"] != "agrees"]["Note"])


def test_without_the_evidence_of_a_study_the_definitions_remain(visit, data, write_snapshot):
    write_snapshot(data, "medhelm", [("a", "medec", 0.5), ("b", "medec", 0.4)])
    at = visit(PAGE)
    assert not at.error, at.error[0].value
    assert len(at.info) == 1
    assert at.expander
