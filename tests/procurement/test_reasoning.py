"""Hidden reasoning by family, from MedAgentsBench's printed means, worked by hand."""

import pytest

from core.answers import bills
from core.domain import BadDataError, BadRequestError, HiddenTokens, Requirements
from core.procurement.workload import hidden_reasoning, hidden_tokens, measured_for

# Means of completion tokens of afrimedqa, medbullets, medmcqa, medqa, mmlu, mmlu-pro, pubmedqa.
O1_MINI = (363.6 + 516.0 + 339.5 + 440.9 + 321.6 + 483.6 + 215.9) / 7  # 383.01
O3_MINI = (372.2 + 400.0 + 350.2 + 302.3 + 217.3 + 393.4 + 110.7) / 7  # 306.59
R1 = (1031.6 + 1079.3 + 790.9 + 925.2 + 711.4 + 1178.8 + 499.2) / 7  # 888.06
QWQ = (368.4 + 51.8 + 392.2 + 83.7 + 171.1 + 386.7 + 5.3) / 7  # 208.46


@pytest.fixture
def rows(bundled):
    return bundled.catalogue.reasoning_tokens


def test_four_models_on_seven_test_sets_each_with_its_source(rows):
    assert len(rows) == 28
    assert {row.family for row in rows} == {"OpenAI", "DeepSeek", "Qwen"}
    assert all(row.source_url.startswith("https://") and row.as_of == "2025-02" for row in rows)
    assert sum(row.n_items for row in rows) == 4 * 6978


@pytest.mark.parametrize(
    ("developer", "low", "likely", "most"),
    [
        ("OpenAI", 110.7, (O1_MINI + O3_MINI) / 2, 516.0),
        ("DeepSeek", 499.2, R1, 1178.8),
        ("Alibaba (Qwen)", 5.3, QWQ, 392.2),
        ("Google", 5.3, (O1_MINI + O3_MINI + R1 + QWQ) / 4, 1178.8),
        ("", 5.3, (O1_MINI + O3_MINI + R1 + QWQ) / 4, 1178.8),
    ],
)
def test_low_and_likely_come_from_the_family_and_high_is_the_cap(
    rows, developer, low, likely, most
):
    found = hidden_tokens(rows, developer, visible=87.0, cap=4000.0)
    assert (found.low, found.high) == (low, 3913.0)
    assert found.likely == pytest.approx(likely)
    # Where the answer itself takes what was allowed, the largest mean that was measured.
    assert hidden_tokens(rows, developer, visible=3990.0, cap=4000.0).high == most
    assert found.low < found.likely < found.high


def test_the_basis_says_whose_and_what(rows):
    found = hidden_tokens(rows, "OpenAI", visible=0.0, cap=4000.0)
    assert found.basis == (
        "measured on medical questions: 111 to 516 tokens for o1-mini, o3-mini (MedAgentsBench, "
        "2025-02); the high case is MedHELM's cap of 4,000"
    )
    other = hidden_tokens(rows, "Google", visible=0.0, cap=4000.0)
    assert "no model of its developer was, so those of all: 5 to 1,179 tokens" in other.basis
    assert hidden_reasoning(rows) == (
        "OpenAI 345 (111 to 516), DeepSeek 888 (499 to 1,179), Qwen 208 (5 to 392), "
        "other developers 447 (5 to 1,179)"
    )


def test_an_own_figure_is_low_likely_and_high(rows):
    assert hidden_tokens(rows, "OpenAI", visible=9.0, cap=4000.0, own=0) == HiddenTokens(
        0, 0, 0, "set by you"
    )
    with pytest.raises(BadRequestError, match="0 tokens or more, not -1"):
        hidden_tokens(rows, "OpenAI", visible=9.0, cap=4000.0, own=-1)


def test_nothing_measured_is_not_nothing_written():
    assert measured_for((), "OpenAI") == ("", ())
    with pytest.raises(BadDataError, match="no measurements"):
        hidden_tokens((), "OpenAI", visible=9.0, cap=4000.0)


@pytest.mark.parametrize("volumes", [(), (("visit-notes", 100.0),)])
def test_a_model_that_reasons_gives_the_answers_of_the_others_and_reasons_on_top(bundled, volumes):
    asked = Requirements(volumes=volumes)
    plain = bills.workload_of(bundled, asked)
    reasoning = bills.workload_of(bundled, asked, reasoning=True, developer="DeepSeek")
    for line, other in zip(plain, reasoning, strict=True):
        assert line.profile.hidden is None
        assert line.profile.written_tokens == line.profile.output_tokens < 1025
        assert other.profile.output_tokens == line.profile.output_tokens
        assert other.profile.hidden.likely == pytest.approx(R1)
        assert other.profile.hidden.high + line.profile.output_tokens == pytest.approx(4000)
        assert other.profile.written_tokens == pytest.approx(line.profile.output_tokens + R1)


def test_own_tokens_written_hold_no_hidden_reasoning(bundled):
    asked = Requirements(input_tokens_per_request=900, output_tokens_per_request=100)
    for line in bills.workload_of(bundled, asked, reasoning=True, developer="OpenAI"):
        assert line.profile.output_tokens == 100
        assert line.profile.hidden.likely == pytest.approx((O1_MINI + O3_MINI) / 2)
    asked = Requirements(output_tokens_per_request=100, reasoning_tokens_per_request=50)
    for line in bills.workload_of(bundled, asked, reasoning=True, developer="OpenAI"):
        assert (line.profile.written_tokens, line.profile.hidden.basis) == (150, "set by you")
