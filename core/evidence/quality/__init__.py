"""Plausibility of leaderboard rows: rules that flag a run, and never drop or change it."""
