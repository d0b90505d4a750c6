"""Sentences of facts: procurement and statistics return keys and numbers, and this says them."""
