if (!document.formulary) {
  document.formulary = true;
  // What somebody does is one step in the history, and Back takes it away: the first change of the
  // question or of the open tab after a press. Streamlit makes a choice no step, and what the server
  // writes one; but what the server adds by itself, or says of its page after Back, is none.
  const {pushState, replaceState} = history;
  let pressed = false;
  for (const kind of ['pointerdown', 'keydown', 'popstate']) {
    addEventListener(kind, () => { pressed = kind !== 'popstate'; }, true);
  }
  const asked = url => {
    const query = [...url.searchParams].filter(
      ([key]) => !['data', 'prices', 'own_results'].includes(key));
    return url.pathname + JSON.stringify(query.sort());
  };
  history.pushState = history.replaceState = function (state, title, url) {
    const isStep = pressed && asked(new URL(url, location)) !== asked(new URL(location));
    pressed &&= !isStep;
    (isStep ? pushState : replaceState).call(history, state, title, url);
  };
  // After Back, Streamlit now and then leaves the tab open that the address no longer names, and
  // draws the one that it does name: nothing is seen. At rest, that one is opened here.
  addEventListener('popstate', () => {
    let rests = 0;
    const watch = setInterval(() => {
      const app = document.querySelector('[data-testid=stApp]');
      rests = app?.dataset.testScriptState === 'notRunning' ? rests + 1 : 0;
      if (!pressed && rests < 4) return;
      clearInterval(watch);
      const named = [...new URLSearchParams(location.search)]
        .flatMap(([key, value]) => key.endsWith('_tab') ? [value] : []);
      const tabs = [...document.querySelectorAll('[data-testid=stMain] [role=tab]')];
      const open = tabs.find(tab => named.includes(tab.textContent)) ?? tabs[0];
      if (!pressed && open?.ariaSelected === 'false') open.click();
    }, 100);
  });
  // The menu is drawn behind the side bar; by the Tab key it comes before it, after the link to
  // the content.
  addEventListener('keydown', event => {
    if (event.key !== 'Tab') return;
    const first = document.querySelectorAll(
      '[data-testid=stSkipToContent], [data-testid=stTopNavLink]');
    for (const link of first) link.tabIndex = 1;
  }, true);
  // The link is copied as soon as the server has written it. A browser gives its clipboard only to
  // pages that came by HTTPS or from this machine; elsewhere the link is there to be copied.
  const link = () => document.querySelector('[data-testid=stPopoverBody] .st-key-link code');
  const written = async () => {
    for (let i = 0; i < 100 && !link()?.textContent; i++) await new Promise(r => setTimeout(r, 50));
    return link()?.textContent ?? '';
  };
  const copy = async () => {
    if (!navigator.clipboard || link()) return;
    const text = written().then(it => new Blob([it], {type: 'text/plain'}));
    await navigator.clipboard.write([new ClipboardItem({'text/plain': text})]);
    const said = document.querySelector('.st-key-link [role=status]');
    if (said) said.textContent = 'Copied. ';
  };
  // On a phone the question opens and closes the side bar; no function of Streamlit's does. Nor
  // does a chosen entry of the menu, which is there too, close it in every browser.
  document.addEventListener('click', event => {
    const press = where => document.querySelector(where)?.click();
    if (event.target.closest('.st-key-share button')) copy().catch(() => {});
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
