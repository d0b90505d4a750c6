"""A browser that was lent before: of who used it, nothing is left."""


def test_no_page_no_cookie_and_nothing_stored_is_left(contexts, server):
    key, context = contexts.lend(locale="en-US")
    address = f"{server.url}/_stcore/health"
    page = context.new_page()
    page.goto(address)
    page.evaluate("localStorage.left = document.cookie = 'left=1'")
    seen = "[document.cookie.includes('left=1'), localStorage.length]"
    assert page.evaluate(seen) == [True, 1]
    contexts.take_back(key, context, {server.url})
    assert context.pages == []

    key, again = contexts.lend(locale="en-US")
    assert again is context
    page = again.new_page()
    page.goto(address)
    assert page.evaluate(seen) == [False, 0]
    contexts.take_back(key, again, {server.url})
