"""Data that the translated modules read: the same values, the same bytes whatever the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.browser.translator.values import ValueWriter, script_text
from tests.translator import programs
from tests.translator.running import run_script, runtime

NAMES = {(programs.__name__, "Point"): "Point"}
VALUE = {
    "shared": [(1, 2.5), (1, 2.5), None, True],
    "point": programs.Point(3, colour=programs.Colour.GREEN),
    "keyed": {("a", 1): "x", ("b", 2): "y"},
    "set": frozenset({("b", "c"), ("a", "d")}),
}
READ = """
class Point extends $Object {}
const steps = $reading(JSON.parse(require('fs').readFileSync(0, 'utf8')), {Point});
let step = steps.next();
while (!step.done) step = steps.next();
const data = step.value;
process.stdout.write(JSON.stringify([
  data.shared, data.shared[0] === data.shared[1], data.point instanceof Point, data.point.x,
  data.point.colour, data.point.y === undefined, $item(data.keyed, ["b", 2]),
  $in(["a", "d"], data.set), $in(["a", "c"], data.set),
]));
"""


def written(pieces: int = 1) -> list[str]:
    return ValueWriter(NAMES, lambda _, field: field != "y").pieces(VALUE, pieces)


@pytest.mark.parametrize("pieces", [1, 3, 40])
def test_values_come_back(pieces: int, tmp_path: Path) -> None:
    assert run_script(runtime() + READ, written(pieces), tmp_path) == [
        [[1, 2.5], [1, 2.5], None, True], True, True, 3, "green", True, "y", True, False,
    ]  # fmt: skip


def test_the_bytes_do_not_depend_on_how_a_run_orders_sets() -> None:
    program = "from tests.translator.test_values import written; print(written())"
    root = Path(__file__).parents[2]
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_keys_that_a_browser_would_sort_are_refused() -> None:
    with pytest.raises(TypeError, match="sort"):
        ValueWriter({}, lambda *_: True).pieces({"10": 1, "9": 2}, 1)


def test_a_text_cannot_end_the_script_that_holds_it() -> None:
    assert script_text("</script>'\\\n") == r"'<\/script>\'\\\n'"
