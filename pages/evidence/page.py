"""What is it built on, and does it hold?"""

from pages.components import entries

entries.draw("evidence")
