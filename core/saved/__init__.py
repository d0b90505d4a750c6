"""What people keep: shortlists, and gates and prices of their own, in a small SQL database.

Apart from the evidence store: that one is derived and may be deleted, this one may not.
"""
