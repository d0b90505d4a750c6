"""What will it cost, and where?"""

from pages.components import entries

entries.draw("cost")
