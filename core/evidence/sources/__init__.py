"""Leaderboards: what reads a downloaded table of each, and what pulls the newest of the live."""
