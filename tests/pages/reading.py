"""What a test reads of a page, and how it presses a button."""

import re


def said(at):
    """All that the main part says in sentences, without escapes."""
    kinds = (at.main.markdown, at.main.caption, at.main.info, at.main.warning)
    kinds += (at.main.error, at.main.success, at.main.text)
    return "\n".join(one.value for kind in kinds for one in kind).replace("\\", "")


def number(pattern, at):
    """The numbers that the page says where a pattern with groups stands."""
    found = re.search(pattern, said(at).replace("*", ""))
    assert found, pattern
    return [float(one.replace(",", "").replace("−", "-")) for one in found.groups()]


def tables(at, column):
    """The tables that have this column."""
    return [one.value for one in at.dataframe if column in one.value]


def table(at, column):
    return tables(at, column)[0]


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception, at.exception
    return at


def has_button(at, label):
    return label in [button.label for button in at.button]
