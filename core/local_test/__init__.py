"""The local test: from a shortlist to a verdict on a hospital's own cases."""
