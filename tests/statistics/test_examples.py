"""The examples in the docstrings of the statistics say what the functions return."""

import doctest
import importlib
import pkgutil

import core.statistics

LEAST = 10


def test_the_examples_in_the_docstrings_come_out():
    ran = []
    for module in pkgutil.iter_modules(core.statistics.__path__, "core.statistics."):
        for example in doctest.DocTestFinder().find(importlib.import_module(module.name)):
            found = doctest.DocTestRunner().run(example)
            assert found.failed == 0, f"the example of {example.name}"
            ran += [example.name] * bool(found.attempted)
    assert len(ran) >= LEAST
