"""What is loaded, and is it sound?"""

from pages.components import entries

entries.draw("data")
