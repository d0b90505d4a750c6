"""Kept lists, and what was decided on them, in a database of their own."""
