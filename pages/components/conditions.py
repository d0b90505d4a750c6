"""Ways to get a model, and how each stands to the conditions of purchase, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.domain import RouteVerdict

STATUS = {
    "passes": "meets",
    "conditional": "on a condition",
    "open": "open questions",
    "fails": "fails",
}
_SOURCES = {
    "vendor": "vendor's own page",
    "vendor_forum": "vendor's forum",
    "third_party": "third party",
    "catalogue": "catalogue of models",
    "own": "your own",
}


def ways(verdicts: Sequence[RouteVerdict]) -> pd.DataFrame:
    """Return one row per way to get a model and condition, with the source of the answer."""
    checks = [(verdict, check) for verdict in verdicts for check in verdict.checks]
    return pd.DataFrame(
        {
            "Platform": [verdict.platform for verdict, _ in checks],
            "Condition": [check.name for _, check in checks],
            "Stands": [STATUS[check.status] for _, check in checks],
            "Answer": [
                " ".join(filter(None, (check.words, verdict.note))) for verdict, check in checks
            ],
            "Source": [check.source_url for _, check in checks],
            "Kind of source": [source_kind(check.source_kind) for _, check in checks],
            "As of": [check.as_of for _, check in checks],
        }
    )


def source_kind(kind: str) -> str:
    """Write the kind of a source in words."""
    return _SOURCES.get(kind, kind)
