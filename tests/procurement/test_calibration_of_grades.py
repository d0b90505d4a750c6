"""What a grade is worth: each direct suite left out in turn and graded from the others.

The table in docs/methods.md is printed by this file: ``RENEW_DOCS=1`` writes it. Where a share
leaves the interval that the document prints, the test fails, and what the app says next to a grade
has to follow.
"""

import os
import re
from collections import defaultdict
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from core.answers import market, other_suites
from core.procurement.grades import grade_of, third_of
from core.words.candidate import GRADES_EXPLAINED

METHODS = Path(__file__).parents[2] / "docs" / "methods.md"
BEGIN, END = "<!-- grades -->", "<!-- /grades -->"
WORK, DAY, N_DRAWS = "balanced", date(2026, 11, 26), 2000
GROUPS = {
    "A or B": ("A", "B"),
    "A": ("A",),
    "B": ("B",),
    "C": ("C",),
    "D, upper in a general test": ("D+",),
    "other D": ("D",),
    "E, never tested elsewhere": ("E",),
}
NEVER, WITHIN = "E, never tested elsewhere", "{}, within one kind of work"


@pytest.fixture(scope="module")
def pairs(bundled):
    return graded_from_others(bundled, WORK)


@pytest.fixture(scope="module")
def apart(bundled):
    """The same, within each single kind of work."""
    works = {it.work for it in bundled.catalogue.lines} - {WORK}
    return [each for work in sorted(works) for each in graded_from_others(bundled, work)]


def graded_from_others(bundled, work):
    """Each product and direct suite: the product, its grade from the other lines, its third."""
    lines = market.lines(bundled, work, "", DAY)
    catalogue = bundled.catalogue
    sold_as = {entry.model for entry in catalogue.crosswalk}
    every = dict.fromkeys(entry.product for entry in catalogue.crosswalk)
    every |= dict.fromkeys(n for line in lines for n in line.there.rows if n not in sold_as)
    places = {
        name: {
            line.rule.suite: third_of(line.there.rows[held][0], len(line.there.rows))
            for line in lines
            if (held := other_suites.tested_as(bundled, name, line.there.rows)[0])
        }
        for name in every
    }
    kinds = {line.rule.suite: line.kind for line in lines}
    found = []
    for held_out in (suite for suite, kind in kinds.items() if kind == "direct"):
        for name, thirds in places.items():
            if held_out not in thirds:
                continue
            others = [(kinds[s], third) for s, third in thirds.items() if s != held_out]
            grade = grade_of(others)
            grade += "+" if grade == "D" and ("general", "upper") in others else ""
            found.append((name, grade, thirds[held_out]))
    return found


def shares(pairs):
    """Shares in percent with 95 % intervals, products drawn again with all of their pairs."""
    of_product = defaultdict(list)
    for name, grade, third in pairs:
        of_product[name].append((grade, third))
    products = list(of_product.values())
    draws = np.random.default_rng(0).integers(len(products), size=(N_DRAWS, len(products)))
    rows = {}
    for label, grades in GROUPS.items():
        counts = np.array(
            [
                [sum(g in grades and t == third for g, t in of) for third in ("upper", "lower")]
                + [sum(g in grades for g, _ in of)]
                for of in products
            ]
        )
        upper, lower, n = counts.sum(axis=0)
        drawn = counts[draws].sum(axis=1)
        drawn = drawn[drawn[:, 2] > 0]
        ends = np.percentile(100 * drawn[:, :2] / drawn[:, 2:], [2.5, 97.5], axis=0)
        rows[label] = (n, 100 * upper / n, *ends[:, 0], 100 * lower / n, *ends[:, 1])
    return rows


def test_the_table_of_the_methods_is_what_the_shipped_snapshots_give(pairs, apart):
    single = {WITHIN.format(label): row for label, row in shares(apart).items()}
    rows = shares(pairs) | {label: single[label] for label in map(WITHIN.format, ("A or B", NEVER))}
    heads = ("Grade from the other tests", "Pairs", "In the upper third of the one left out")
    lines = [f"| {' | '.join((*heads, 'In its lower third'))} |", "|---|--:|---|---|"]
    for label, (n, up, up_low, up_high, down, down_low, down_high) in rows.items():
        share = f"{up:.0f} % ({up_low:.0f} to {up_high:.0f})"
        low = f"{down:.0f} % ({down_low:.0f} to {down_high:.0f})"
        lines.append(f"| {label} | {n} | {share} | {low} |")
    table = "\n".join(lines)
    text = METHODS.read_text("utf-8")
    held = re.search(f"{BEGIN}\n(.*?)\n{END}", text, re.DOTALL)
    if os.environ.get("RENEW_DOCS"):
        METHODS.write_text(text.replace(held[0], f"{BEGIN}\n{table}\n{END}"), "utf-8")
    else:
        assert held[1] == table, "RENEW_DOCS=1 writes it; see whether the sentences still hold"


def test_the_shares_that_are_said_with_a_grade_are_those_computed(pairs, apart):
    rows, single = shares(pairs), shares(apart)["A or B"]
    graded, never = rows["A or B"], rows[NEVER]
    said = [int(number) for number in re.findall(r"(\d+) %", GRADES_EXPLAINED)]
    assert said == [round(each) for row in (graded, never, single) for each in (row[1], row[4])]
    # Better than what no other test has, and A is not told apart from B.
    assert graded[2] > never[1]
    assert graded[1] > never[3]
    assert rows["A"][2] < rows["B"][1] < rows["A"][3]
    # Within one kind of work chance is in both intervals.
    assert single[2] < 100 / 3 < single[3]
    assert single[5] < 100 / 3 < single[6]
