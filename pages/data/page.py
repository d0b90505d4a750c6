"""What is loaded, and is it sound?"""

from pages.components import entries, visitor

entries.draw("data", without=None if visitor.is_administrator() else "Server")
