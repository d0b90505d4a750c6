"""A hospital uploads its ratings, and reads how each number is made."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from driving import until

A = [1, 2, 3, 4, 5, 2, 3, 4, 1, 5, 3, 2]
B = [1, 3, 3, 4, 4, 2, 2, 5, 1, 4, 3, 2]


def download(one, name):
    with one.page.expect_download() as started:
        one.main.get_by_role("button", name=name, exact=True).first.click()
    return Path(started.value.path()).read_bytes()


def test_a_filled_in_template_gives_the_answer(server, reader):
    one = reader(server)
    one.open("local_validation")
    one.says("Upload your ratings to see the answer", "Can a jury of language models")
    template = download(one, "CSV template").decode("utf-8-sig")
    header = next(csv.reader(io.StringIO(template)))
    rows = [
        (rater, role, f"note {i}", score)
        for rater, role, scores in (("A", "clinician", A), ("B", "clinician", B), ("J", "jury", A))
        for i, score in enumerate(scores)
    ]
    filled = "\n".join(",".join(map(str, row)) for row in (header, *rows)).encode()
    one.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "ratings.csv", "mimeType": "text/csv", "buffer": filled}
    )
    one.says(
        re.compile(r"jury and all clinicians: 0\.9\d \(0\.\d\d to 1\.00\)"), "0.47 for its jury"
    )
    one.main.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
    assert [row[0] for row in one.cells()][:3] == [
        "Your jury and the mean of your clinicians",
        "Two of your clinicians, average over pairs",
        "Your jury and the clinicians without A",
    ]
    assert download(one, "PNG").startswith(b"\x89PNG")
    table = download(one, "CSV").decode("utf-8-sig")
    assert "Your jury and the mean of your clinicians,0.9" in table


def test_a_bad_file_is_a_sentence_with_its_row(server, reader):
    one = reader(server)
    one.open("local_validation")
    one.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {
            "name": "own.csv",
            "mimeType": "text/csv",
            "buffer": b"rater,role,instance,score\nA,nurse,1,2\n",
        }
    )
    one.says('own.csv, row 2: the role "nurse" is neither clinician nor jury.')


def test_a_definition_opens_and_the_link_holds_it(server, reader):
    one = reader(server)
    one.open("methods")
    one.says(re.compile(r"\d+ of \d+ published numbers come out here"))
    one.main.get_by_text("Local validation", exact=True).first.click()
    one.main.locator(".katex:visible").first.wait_for()
    one.idle()
    assert one.query["about-local-validation"] == ["true"]
    colleague = reader(server)
    colleague.open(one.page.url, tab="Methods")
    colleague.main.locator(".katex:visible").first.wait_for()
    colleague.main.get_by_text("Only what differs or cannot be computed").click()
    colleague.page.wait_for_url(re.compile("differs=true"))
    # The address changes in the browser, before the server has drawn the shorter table.
    until(colleague.page, lambda: not any("agrees" in row for row in colleague.cells()))
    assert colleague.query["differs"] == ["true"]
