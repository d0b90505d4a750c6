"""The page on robust ranks: what it says, against the answer behind it, and with few models."""

import pytest

from core.answers import recommend
from core.domain import Requirements
from core.procurement.reasons import count
from pages.components import evidence

PAGE = "recommend/how_sure"
EXAMS = "open-medical-llm"
SALE = {"sale": "Not asked"}


def said(at):
    """All that stands on the page in words."""
    parts = (at.markdown, at.caption, at.info, at.warning)
    return "\n".join(one.value for part in parts for one in part).replace("\\", "")


def table(at, column):
    return next(one.value for one in at.dataframe if column in one.value)


@pytest.fixture
def models(data, write_snapshot, bundled):
    """Write models by their scores in knowledge exams, and in all other benchmarks."""
    found = bundled.catalogue.benchmarks[EXAMS]

    def write(*levels):
        write_snapshot(
            data,
            EXAMS,
            [
                (f"org/m{i}", b.id, exams if b.category == "Medical knowledge exams" else other)
                for i, (exams, other) in enumerate(levels)
                for b in found
            ],
        )

    return write


def test_the_page_says_what_the_answer_holds(visit, bundled):
    at = visit(PAGE, **SALE)
    asked = Requirements(on_sale_months=None)
    found = recommend.robustness(bundled, asked, evidence.today())
    first = found.models[0]
    text = said(at)
    assert (
        f"**{first.model} is first in {first.first_share:.0%}".replace("%", " % of 2,000 plausible")
        in text
    )
    shown = table(at, "Ranks")
    assert list(shown["Model"]) == [spread.model for spread in found.models]
    assert list(shown["First, %"]) == [spread.first_share * 100 for spread in found.models]
    assert sum(shown["First, %"]) == pytest.approx(100)
    # The published check: 57 % of weightings, 45 % where benchmarks are drawn too.
    assert (first.model, round(first.first_share, 2)) == ("o4-mini (2025-04-16)", 0.57)
    assert first.first_share_resampled == pytest.approx(0.453, abs=0.03)
    assert (
        "**With the benchmarks of each category drawn anew as well, o4-mini (2025-04-16) is first "
        f"in {first.first_share_resampled * 100:.0f} %**, GPT-5 (2025-08-07) in " in text
    )
    assert list(shown["First, other benchmarks, %"]) == [
        spread.first_share_resampled * 100 for spread in found.models
    ]
    flips = table(at, "Flips at, %")
    assert list(flips["First then"]) == [flip.model for flip in found.flips]
    assert list(flips["Flips at, %"]) == [flip.flips_at * 100 for flip in found.flips]
    dropped = table(at, "First without it")
    changing = [one for one in found.without if one.first != first.model]
    assert list(dropped["First place changes"]) == ["yes"] * len(changing) + ["no"] * (
        len(found.without) - len(changing)
    )
    n = count(len(changing)).capitalize()
    assert f"{n} of {len(found.without)} benchmarks change the first place" in text


def test_wider_weightings_make_the_first_place_less_sure(visit):
    narrow = table(visit(PAGE, **SALE, reach="Narrow"), "Ranks")["First, %"].max()
    at = visit(PAGE, **SALE, reach="Wide")
    assert "of 2,000 weightings far around yours" in said(at)
    assert table(at, "Ranks")["First, %"].max() < narrow
    at = visit(PAGE, **SALE, reach="Endless")
    assert any("Endless" in note.value for note in at.warning)
    assert "plausible weightings" in said(at)


def test_a_weight_at_which_another_model_is_first(visit, models):
    # Categories weigh a third each. With t for exams, m0 = .5 + .4 t meets m1 = .7 at one half.
    models((0.9, 0.5), (0.7, 0.7))
    at = visit(PAGE, evidence="Open Medical-LLM")
    text = said(at)
    assert "The nearest change is 16.7 percentage points away" in text
    flips = table(at, "Flips at, %").set_index("Category")
    exams = flips.loc["Medical knowledge exams"]
    assert (exams["Weight now, %"], exams["Flips at, %"]) == pytest.approx((100 / 3, 50))
    assert exams["First then"] == "m0"
    # Without its only benchmark, research falls away: exams weigh a half, a tie that m0's id wins.
    assert "One of 9 benchmarks changes the first place when left out." in text
    assert "Without PubMedQA, m0 is first." in text


def test_where_no_weight_changes_the_first_place(visit, models):
    models((0.9, 0.9), (0.7, 0.7))
    at = visit(PAGE, evidence="Open Medical-LLM")
    text = said(at)
    assert "m0 is first in 100 % of 2,000 plausible weightings" in text
    assert "No category can change the first place, whatever its weight." in text
    assert "Whichever benchmark is left out, m0 stays first." in text
    assert set(table(at, "Flips at, %")["First then"]) == {"never"}
    assert table(at, "Flips at, %")["Flips at, %"].isna().all()


def test_a_single_category_has_no_weights_to_vary(visit):
    at = visit(PAGE, **SALE, task="Own weights", category=["Administration and Workflow"])
    text = said(at)
    assert "Only one category counts here, Administration and Workflow" in text
    assert "What if one benchmark were missing?" in [head.value for head in at.subheader]
    assert "Where does the first place flip?" not in [head.value for head in at.subheader]
    assert "First, %" not in table(at, "May be")
    assert "With the benchmarks of each category drawn anew, GPT-5 (2025-08-07) is first" in text
    assert sum(table(at, "May be")["First, other benchmarks, %"]) == pytest.approx(100)


def test_one_model_gives_a_sentence_and_why(visit, models):
    models((0.9, 0.5))
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert not at.error
    assert "There is no order to test." in said(at)
    assert list(table(at, "Why")["Why"]) == ["ranked, but alone"]


def test_no_model_within_the_limits_gives_a_sentence(visit):
    at = visit(PAGE, max_params="1 B")
    assert not at.error
    assert "There is no order to test." in said(at)
    assert len(table(at, "Why")) > 0
