"""May we buy it, and whom do we ask?"""

from pages.components import entries

entries.draw("conditions")
