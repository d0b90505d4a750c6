"""A module a subject: arrays in, results out; nothing of files, databases and prices."""
