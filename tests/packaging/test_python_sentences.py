"""The list of Python's sentences, which the panel translates."""

import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/python-sentences.py"


def test_each_form_of_a_sentence_is_a_template():
    found = runpy.run_path(str(SCRIPT))["sentences"]
    source = 'def f(n):\n    """No doc string at all."""\n    log.info("no log line either")\n'
    source += "    return f\"{n} of {len(n)} {'rows' if n else 'columns'} differ{'' if n else place(n)}\""
    ways = ("rows differ", "rows differ%3", "columns differ", "columns differ%3")
    assert found(source) == {f"%1 of %2 {way}" for way in ways}


def test_the_list_in_the_repository_is_up_to_date():
    module = runpy.run_path(str(SCRIPT))
    assert module["TARGET"].read_text("utf-8") == module["written"]()
