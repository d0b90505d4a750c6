"""Does it hold on our own notes?"""

from pages.components import entries

entries.draw("local_test")
