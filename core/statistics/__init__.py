"""Numbers from score matrices; no database in here.

What cannot be computed is refused with a ``BadRequestError``, or with a ``TooFewError`` where there
are too few models or benchmarks, in a sentence for the reader. ``Raises`` stands where a caller
goes on without the result.
"""
