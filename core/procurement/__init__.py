"""From statistics to a choice.

A quantity out of range, or a name that is not known, is a ``BadRequestError``; a curated table
that lacks what is needed a ``BadDataError``.
"""
