"""One question in, one result out: what the pages and the command line both ask.

The composition of evidence, statistics and choice lies here, a module for each entry of the menu,
and so does the only cache: each result is remembered by its inputs. A store is one input, and a
changed store is a new one.

Every function raises ``BadRequestError`` where a suite, revision, cohort, protocol, task, category
or model that is asked for does not exist, and ``BadDataError`` where a suite has no usable
snapshot, and ``TooFewError`` where too few models or benchmarks are left to compute with.
"""
