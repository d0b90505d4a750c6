"""What could take the place of the model we use?"""

from pages.components import entries

entries.draw("replace")
