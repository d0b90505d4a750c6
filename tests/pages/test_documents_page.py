"""The menu Export and the receipt on Recommend, Answer."""

FILES = [
    *("List (CSV)", "Decision memo (PDF)", "Decision memo (HTML)", "Excel workbook"),
    *("Full evidence (CSV)", "Recommendation (JSON)"),
]


def files_of(at):
    """Open the menu; return the labels of its files, without those of the picture."""
    assert "Excel workbook" not in [button.label for button in at.get("download_button")]
    at.session_state["export"] = True
    labels = [button.label for button in at.run().get("download_button")]
    return [label for label in labels if label not in ("PNG", "SVG")]


def receipt_of(at):
    (said,) = [text.value for text in at.caption if text.value.startswith("Receipt ")]
    return said.splitlines()[0].strip()


def test_the_menu_has_every_file_and_the_receipt_stands_below_the_list(visit):
    at = visit(evidence="MedHELM")
    assert files_of(at) == FILES
    assert len(receipt_of(at).removeprefix("Receipt ").replace(" ", "")) == 12


def test_the_same_link_in_another_visit_gives_the_same_receipt(visit):
    first = visit(evidence="BRIDGE", max_params="33 B", prices="2026-11-20")
    again = visit(max_params="33 B", evidence="BRIDGE", prices="2026-11-20")
    assert receipt_of(again) == receipt_of(first)


def test_where_nothing_fits_the_memo_is_there_to_say_so(visit):
    at = visit(max_params="0.1 B")
    assert files_of(at) == FILES[1:]
    assert receipt_of(at)
