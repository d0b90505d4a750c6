"""Own servers or the token: from a link to an answer that follows the utilisation."""

import re


def test_the_answer_follows_the_utilisation(server, reader):
    mine = reader(server)
    asked = "&gpu=H100+80GB&load=10&gates=Business+associate+agreement"
    mine.open("own_servers", query=f"hosted=Llama+3.3+Instruct+%2870B%29{asked}")
    mine.says(
        re.compile("Own servers do not pay: at 10,000 requests a month, own servers cost"),
        re.compile("At 10 % utilisation own servers never cost less"),
    )
    mine.unfold("Change what this assumes")
    mine.fill("Utilisation, % of the maximum load", 80)
    mine.says(re.compile("Own servers cost less only from about [0-9,]+ requests a month on"))
    assert mine.query["load"] == ["80"]
    mine.main.locator("[data-testid=stVegaLiteChart] :is(svg.marks, canvas)").first.wait_for()
    with mine.page.expect_download() as started:
        mine.file("own-servers-parts", "csv").click()
    assert started.value.suggested_filename.startswith("own-servers-parts-")
    assert mine.errors == []
