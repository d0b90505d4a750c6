"""Own results on their page: what is there already, what is corrected, and what is renewed."""

from dataclasses import replace

from streamlit.testing.v1 import AppTest

from core.evidence import fact_lists, snapshots
from core.evidence.store import open_store


def test_a_session_with_own_results_sees_renewed_lists(data, bundled_snapshot, own_table):
    bundled_snapshot("medhelm")

    def script():
        import streamlit  # noqa: PLC0415 - the function runs as a script

        from pages.components import evidence as of_the_pages  # noqa: PLC0415

        found = of_the_pages.store()
        streamlit.text(f"{len(found.session)} {[it.revision for it in found.lists]}")

    at = AppTest.from_function(script)
    at.session_state["own_tables"] = (own_table(),)
    before = at.run().text[0].value
    about = fact_lists.newest(open_store().lists, fact_lists.LITELLM)
    folder = data / "facts" / about.list
    (folder / about.revision).rename(folder / "renewed")
    snapshots.write_manifest(folder / "renewed", replace(about, revision="renewed"))
    assert at.run().text[0].value == before.replace(about.revision, "renewed")
    assert before.startswith("1 ")
