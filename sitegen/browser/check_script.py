"""The linter for browsers: its rules with the engine as one script, and what it reads as data.

It is translated like the engine (decision 27) and stands in a script of its own, so that the page
of composed builds loads nothing of it. What needs Python's own parser, or the parser of Markdown,
is provided as nothing: the page says what of a paste is not read.
"""

from __future__ import annotations

import json
from importlib.resources import files as package_files

from sitegen.browser.engine_script import MADE_OF, PROVIDED
from sitegen.browser.translator import Bundle, Modules, Reader, bundle
from sitegen.catalog.text.source_text import FORBIDDEN

ENTRIES = (
    ("sitegen.survey.composed_build", "open_engine"),
    ("sitegen.browser.pasted", "opened"),
    ("sitegen.browser.pasted", "checked"),
    ("sitegen.browser.start_log", "start_of"),
    ("sitegen.browser.start_log", "compared"),
    ("sitegen.browser.start_log", "known_errors_in"),
)
"""What the page calls."""
NAMED = (
    ("sitegen.catalog.text.source_text", "SourceText"),
    ("sitegen.lint.trees", "Tree"),
    ("sitegen.lint.options", "OptionTable"),
    ("sitegen.lint.plain_yaml", "of_plain_yaml"),
)
"""Classes that modules name only where they hand them on, and the reader of YAML."""
ASTRAL = "\U000e0000-\U000e007f"
"""Signs beyond the first plane, which the page replaces before anything is read."""
NOTHING = "(() => [])"
LINT_PROVIDED = {
    **PROVIDED,
    ("sitegen.lint.languages.dockerfile", "snippets_of_dockerfile"): NOTHING,
    ("sitegen.lint.languages.html", "snippets_of_html"): NOTHING,
    ("sitegen.lint.languages.markdown", "snippets_of_markdown"): NOTHING,
    ("sitegen.lint.languages.markdown", "snippets_of_block"): NOTHING,
    ("sitegen.lint.languages.python_programs", "read_program"): NOTHING,
    ("sitegen.lint.languages.plain_text", "_program"): "(() => null)",
    ("sitegen.lint.trees", "of_yaml"): "of_plain_yaml$",
    ("sitegen.lint.designs", "design_of"): "$design",
    ("sitegen.lint.rules.fit", "stretched"): "$stretched",
    ("sitegen.importers.spellings.models", "loosely"): NOTHING,
    ("sitegen.catalog.text.source_text", "FORBIDDEN"): "$forbidden",
}
"""What the browser has no parser for, and what the data says in place of a model's config."""
SCRIPT = """"use strict";
var sitegenCheck = (() => {
%s
let $known, $positions;
const $coefficients = (model, checkpoint, tiles = []) => {
  const found = $get($known, `${model.id}|${checkpoint.id}|${[...tiles].join(",")}`);
  if (found === null) throw $error("ValueError", "weights that the page does not have");
  return found;
};
const $design = (model) => $coefficients(model, model.checkpoints[0]).architecture;
const $stretched = (meant) => $positions[meant.model.id] ?? 0;
const $forbidden = $regex(%s);
%s
const $kinds = {%s};
const opening = function* (texts, positions) {
  const data = yield* $reading(texts, $kinds);
  $known = data.coefficients;
  $positions = positions;
  return data;
};
return {opening, $list, %s};
})();
"""


def linter_bundle(read: Reader | Modules) -> Bundle:
    """Translate the linter with the engine; the program's own text is no input of a build."""
    return bundle(read, (*ENTRIES, *NAMED, *MADE_OF), LINT_PROVIDED)


def check_script(engine: Bundle, made: Bundle) -> str:
    """Write the script ``made`` of the linter; the data is that of ``engine``, with its names."""
    runtime = package_files("sitegen.browser.translator").joinpath("runtime.js").read_text("utf-8")
    own = {
        name: made.names[key]
        for key, name in engine.names.items()
        if name in engine.classes and made.names.get(key) in made.classes
    }
    kinds = ", ".join(f"{theirs}: {ours}" for theirs, ours in sorted(own.items()))
    exported = ", ".join(f"{name}: {made.names[module, name]}" for module, name in ENTRIES)
    forbidden = json.dumps(FORBIDDEN.pattern.replace(ASTRAL, ""))
    return SCRIPT % (runtime, forbidden, made.script, kinds, exported)
