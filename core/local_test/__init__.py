"""A test on cases: its plan and protocol, the package to run it, and the verdict on its results."""
