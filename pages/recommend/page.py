"""Which model should we take for this work?"""

from pages.components import entries

entries.draw("recommend")
