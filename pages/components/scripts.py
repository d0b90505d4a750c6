"""The script of the app's own that runs in the browser: fixed text, named by its hash.

The content security policy lets no other run, so nothing that depends on data may be written
into it.
"""

from __future__ import annotations

import streamlit as st

SCRIPT = """<script>
if (!document.formulary) {
  document.formulary = true;
  // Where the server writes into the address of the page that is shown, Streamlit makes that a
  // step of its own in the history. What a button set is one, and Back takes it away. What the
  // server adds by itself is none: one press of Back would seem to do nothing. Several controls
  // that one button set are one step, though each is written by itself, a moment apart. Nor is
  // one what a run that was still going says of its page just after Back was pressed.
  const push = history.pushState;
  let last = -1000;
  addEventListener('popstate', () => { last = performance.now(); }, true);
  const asked = url => {
    const query = [...url.searchParams].filter(
      ([key]) => !['data', 'prices', 'own_results'].includes(key) && !key.endsWith('_tab'));
    return url.pathname + JSON.stringify(query.sort());
  };
  history.pushState = function (state, title, url) {
    const same = asked(new URL(url, location)) === asked(new URL(location));
    const isStep = !same && performance.now() - last > 300;
    if (!same) last = performance.now();
    (isStep ? push : history.replaceState).call(history, state, title, url);
  };
  // On a phone the question opens and closes the side bar; no function of Streamlit's does. Nor
  // does a chosen entry of the menu, which stands there too, close it in every browser.
  document.addEventListener('click', event => {
    const press = where => document.querySelector(where)?.click();
    if (event.target.closest('.st-key-asked button')) {
      press('[data-testid=stExpandSidebarButton]');
    } else if (event.target.closest('.st-key-show_answer button')) {
      press('[data-testid=stSidebarCollapseButton] button');
    } else if (innerWidth < 768 && event.target.closest('[data-testid=stSidebarNavLink]')) {
      press('[data-testid=stSidebar][data-collapsed=false] '
        + '[data-testid=stSidebarCollapseButton] button');
    }
  });
}
</script>"""


def run() -> None:
    """Put the script on the page."""
    st.html(SCRIPT, unsafe_allow_javascript=True)
