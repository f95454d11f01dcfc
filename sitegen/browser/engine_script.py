"""The page on which readers compose a build: the engine as a script, and its data as others.

The engine is not written twice. Its modules, the words and the table writer are translated as they
stand (decision 27), and what does not depend on a question is computed here and becomes data.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from importlib.resources import files as package_files
from importlib.util import find_spec
from typing import get_args

from sitegen.browser.translator import Bundle, Modules, Reader, bundle
from sitegen.browser.translator.names import Key
from sitegen.browser.translator.values import ValueWriter, script_text
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Runtime
from sitegen.fit.fit_engine import FitEngine, expert_tiles
from sitegen.models.cache_kinds import LayerCache
from sitegen.models.families.names import known_as
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.site.pages.custom import DATA_URLS, ENGINE_URL, MODEL_URL

ENTRIES = (
    ("sitegen.survey.composed_build", "open_engine"),
    ("sitegen.survey.composed_build", "verdict_of"),
    ("sitegen.survey.composed_build", "verdict_steps"),
    ("sitegen.survey.composed_build", "in_order"),
    ("sitegen.survey.composed_build", "combo_of"),
    ("sitegen.survey.composed_build", "build_of"),
    ("sitegen.survey.composed_build", "Build"),
    ("sitegen.survey.composed_build", "EqualNodes"),
    ("sitegen.survey.composed_build", "EqualGpus"),
    ("sitegen.survey.composed_build", "BuildQuestion"),
    ("sitegen.site.composed_address", "read_state"),
    ("sitegen.site.composed_address", "unread"),
    ("sitegen.site.composed_address", "write_state"),
    ("sitegen.site.composed_address", "state_of_list"),
    ("sitegen.site.composed_address", "State"),
    ("sitegen.browser.results", "results"),
    ("sitegen.site.reports.opened_model", "details"),
    ("sitegen.browser.html", "summary_html"),
    ("sitegen.browser.html", "blocks_of"),
    ("sitegen.browser.html", "block_pieces"),
    ("sitegen.browser.html", "details_html"),
    ("sitegen.render.opened_model", "write_details"),
)
"""What the page calls."""
LATER = (
    ("sitegen.survey.composed_model", "curves_of"),
    ("sitegen.survey.composed_model", "after_losses"),
    ("sitegen.survey.composed_model", "other_ways"),
    ("sitegen.site.reports.opened_model", "commands"),
    ("sitegen.site.reports.opened_model", "further"),
    ("sitegen.site.reports.opened_model", "losses"),
    ("sitegen.site.reports.opened_model", "others"),
    ("sitegen.browser.html", "commands_html"),
    ("sitegen.browser.html", "further_html"),
    ("sitegen.browser.html", "losses_html"),
    ("sitegen.browser.html", "others_html"),
    ("sitegen.recipes", "recipes_for"),
    ("sitegen.survey.first_answer", "best_for_use"),
    ("sitegen.survey.first_answer", "with_others"),
    ("sitegen.survey.first_answer", "of_model"),
    ("sitegen.survey.first_answer", "fewer_users"),
    ("sitegen.survey.first_answer", "for_fewer"),
    ("sitegen.browser.home", "home_state"),
    ("sitegen.browser.home", "use_named"),
    ("sitegen.browser.home", "for_use"),
    ("sitegen.site.combo.first_answer", "first_view"),
    ("sitegen.render.first_answer", "answer_html"),
    ("sitegen.render.first_answer", "instead_html"),
)
"""What it calls once a model is opened, and the home page for its answer."""
DATA_CLASSES = (
    "catalog Catalog", "hardware Gpu", "hardware DedicatedMemory", "hardware UnifiedMemory",
    "hardware Interconnect", "hardware InstalledGpu", "hardware Node", "hardware Combo",
    "models LanguageModel", "models Checkpoint", "models Quantization", "models Capabilities",
    "models DefaultsByMemory", "models RuntimeProfile", "models Runtime", "models Defect",
    "models KnownModels", "models FormatLimit", "models ModelLimit", "models CacheSharing",
    "models CacheDefault", "models ChatOptions", "models GpuOptions",
    "models Replicas", "models ServerEnvironment", "models Traits",
    "provenance Constant", "provenance Interval", "runs RunSubject", "runs RunSplit",
)  # fmt: skip
"""Classes of the catalog's records that the data is made of."""
SHAPES = (
    *(("sitegen.physics.model_shape", name) for name in (
        "ModelShape", "LayerKind", "LatentWidths", "TensorWidths", "PredictionLayers",
    )),
    *(("sitegen.models.cache_kinds", kind.__name__) for kind in get_args(LayerCache)),
    ("sitegen.models.weights.checkpoint", "LayerWeights"),
    ("sitegen.models.image_tower", "ImageTower"),
)  # fmt: skip
"""Classes of the checkpoints' numbers, which are data too."""
LOSSES = ("sitegen.fit.fit_engine", "CheckpointLosses")
EVIDENCE = ("sitegen.fit.nearest_record", "EvidenceIndex")
RATINGS = (("sitegen.quality.values", "Ratings"), ("sitegen.quality.values", "Rating"))
PROVIDED = {
    ("sitegen.physics.reduced_checkpoint", "reduce_checkpoint"): "$coefficients",
    ("sitegen.physics.reduced_checkpoint", "ReducedCheckpoint"): "$Object",
    ("sitegen.fit.nearest_record", "evidence_of"): "(() => null)",
    ("sitegen.render.addresses", "outside"): "(() => null)",
    ("sitegen.fit.fit_engine", "checkpoint_losses"): "(() => null)",
    ("sitegen.quality.losses", "nothing_is_lost"): "(() => false)",
    ("sitegen.quality.ratings", "ratings_of"): "(() => null)",
}
"""Numbers of checkpoints and records that count come as data, with the loss of each checkpoint; the
page's tables link to this site alone."""
CHECKED_FIELDS = frozenset({"gguf_file_type", "default_port", "max_position"})
"""Fields that only the linter reads, in a script of its own."""
NOT_READ = frozenset(
    {
        ("CheckpointWeights", "layers"), ("Architecture", "tensors"), ("Architecture", "caches"),
        ("Constant", "source"), ("Constant", "note"), ("Constant", "unit"), ("Combo", "summary"),
        ("Combo", "prose"), ("Runtime", "summary"), ("Runtime", "url"), ("Defect", "source"),
        ("Gpu", "prices"), ("Combo", "prices"), ("KnownModels", "source"),
        ("FormatLimit", "source"), ("FormatLimit", "note"), ("ChatOptions", "source"),
        ("ModelLimit", "source"), ("Replicas", "source"), ("Speculation", "source"),
        ("ServerEnvironment", "source"), ("CacheSharing", "source"), ("CacheDefault", "source"),
        ("GpuOptions", "source"),
        ("SourceSpan", "path"),
        *(("Rating", name) for name in (
            "model", "use", "standing", "tier", "place", "boards", "independent", "newest", "mode",
            "board_ids",
        )),
    }
)  # fmt: skip
"""Fields that share their name with one that is read."""

_CLASSES = tuple(tuple(one.split()) for one in DATA_CLASSES)
MADE_OF = (
    *((f"sitegen.catalog.domain.{module}", name) for module, name in _CLASSES),
    *SHAPES, LOSSES, EVIDENCE, *RATINGS,
)  # fmt: skip
"""Classes of all values of the data."""

OPENING = """"use strict";
var sitegen = (() => {
%s
let $known;
const $coefficients = (model, checkpoint, tiles = []) =>
  $item($known, `${model.id}|${checkpoint.id}|${[...tiles].join(",")}`);
%s
const $kinds = {%s};
const opening = function* (texts) {
  const data = yield* $reading(texts, $kinds);
  $known = data.coefficients;
  return data;
};
return {opening, $set, $list, %s};
})();
"""
FURTHER = """"use strict";
(() => {
const {%s} = sitegen.shared;
%s
Object.assign(sitegen, {%s});
})();
"""
NAME = re.compile(r"[\w$]+")
OF_RUNTIME = re.compile(r"^(?:const|class) (\$\w+)", re.MULTILINE)


def custom_files(catalog: Catalog, engine: FitEngine, made: Bundle) -> dict[str, bytes]:
    """Write the script of the translated engine and the scripts of its data."""
    texts = [*engine_scripts(made), *data_scripts(catalog, engine, made)]
    urls = (ENGINE_URL, MODEL_URL, *DATA_URLS)
    return {url.lstrip("/"): text.encode() for url, text in zip(urls, texts, strict=True)}


def engine_bundle(read: Reader | Modules) -> Bundle:
    """Translate the engine; the program's own text is a part of the program, not of the input."""
    return bundle(read, (*ENTRIES, *MADE_OF), PROVIDED, later=LATER)


def module_source(name: str) -> str | None:
    """Return the text of one of our modules."""
    if not name.startswith("sitegen."):
        return None
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # a name in a module
        return None
    get_source = getattr(spec.loader, "get_source", None) if spec else None
    return get_source(name) if get_source else None


def engine_scripts(made: Bundle) -> tuple[str, str]:
    """Write runtime and definitions as one classic script with one global name, and a later one.

    What the later script needs of the first is handed to it under that name.
    """
    runtime = package_files("sitegen.browser.translator").joinpath("runtime.js").read_text("utf-8")
    known = {*made.early, *OF_RUNTIME.findall(runtime)}
    shared = known & set(NAME.findall(made.later)) & set(NAME.findall(runtime + made.script))
    of_first = [*_exported(made, ENTRIES), f"shared: {{{', '.join(sorted(shared))}}}"]
    kinds = ", ".join(made.classes)
    return (
        OPENING % (runtime, made.script, kinds, ", ".join(of_first)),
        FURTHER % (", ".join(sorted(shared)), made.later, ", ".join(_exported(made, LATER))),
    )


def _exported(made: Bundle, entries: Iterable[Key]) -> list[str]:
    return [f"{name}: {made.names[module, name]}" for module, name in entries]


def data_scripts(catalog: Catalog, engine: FitEngine, made: Bundle) -> list[str]:
    """Write the catalog as far as the engine reads it, with the numbers of all checkpoints.

    They come in any order: each puts its text in its place.
    """
    words = set(re.findall(r"\w+", made.script + made.later)) | CHECKED_FIELDS

    def wanted(kind: str, field: str) -> bool:
        return field in words and (kind, field) not in NOT_READ

    models = {model.id: model for model in catalog.surveyed_models}
    looked_up = {
        name
        for model in models.values()
        for name in (*known_as(model.config), *model.vision_classes)
    }
    read = replace(
        catalog,
        models=models,
        runtimes={id_: _narrowed(one, looked_up) for id_, one in catalog.runtimes.items()},
        measurements={},
        benchmarks={},
        claims={},
        renamed={},
        warnings=(),
    )
    root = {
        "catalog": read,
        "coefficients": _coefficients(read, engine),
        "evidence": engine.evidence,
        "losses": engine.losses,
        "ratings": engine.ratings,
    }
    texts = ValueWriter(made.names, wanted).pieces(root, len(DATA_URLS))
    return [
        f"(self.sitegenData ??= [])[{at}] = {script_text(text)};\n" for at, text in enumerate(texts)
    ]


def _narrowed(runtime: Runtime, looked_up: Collection[str]) -> Runtime:
    """Keep those names of models that any model of the page is looked up by."""
    table = runtime.known_models
    if table is None:
        return runtime

    def kept(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in looked_up)

    known = replace(
        table,
        names=kept(table.names),
        with_images=kept(table.with_images),
        through_transformers=kept(table.through_transformers),
        dropped={name: last for name, last in table.dropped.items() if name in looked_up},
    )
    return replace(runtime, known_models=known)


def _coefficients(catalog: Catalog, engine: FitEngine) -> Mapping[str, ReducedCheckpoint]:
    """Reduce every checkpoint in every way in which an assessed runtime loads it."""
    return {
        f"{model.id}|{checkpoint.id}|{','.join(map(str, tiles))}": engine.reduced(
            model, checkpoint, tiles
        )
        for model in catalog.models.values()
        for checkpoint in model.checkpoints
        for tiles in sorted(
            {
                expert_tiles(model, checkpoint, profile)
                for runtime, profile in engine.assessed_runtimes()
                if checkpoint.quantization.format in runtime.formats
            }
        )
    }
