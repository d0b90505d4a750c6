"""Leaderboards: one module for each, which reads its tables and pulls the newest."""
