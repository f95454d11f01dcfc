"""What rules ask the catalog and the engine: which hardware, which checkpoint, does it fit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from sitegen.catalog.domain.hardware import Combo, Interconnect, Node, UnifiedMemory
from sitegen.catalog.domain.models import LanguageModel, MemoryModel, Runtime, RuntimeProfile
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.runnable_checkpoint import (
    Ask,
    Asks,
    ServedCheckpoint,
)
from sitegen.lint.checkpoints import ONLINE, STORED, WIDE, Repositories, ResolvedCheckpoint
from sitegen.lint.designs import design_of
from sitegen.lint.hardware import Hardware, TextHardware
from sitegen.lint.launches import Launch
from sitegen.lint.ollama_library import TABLE, OllamaLibrary, is_elsewhere, is_file, is_of_hub
from sitegen.lint.options import OptionTable
from sitegen.lint.script import whole_number
from sitegen.models.architecture import Architecture
from sitegen.physics.cache_types import SPELLINGS, joined
from sitegen.physics.memory.paged import as_typed
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.memory.stated_constants import default_context_tokens
from sitegen.physics.plan import PlanKind, Settings, Workload
from sitegen.recipes.placement import VISIBLE
from sitegen.survey.verdict_policy import ModelQuestion, answered, usual_goal
from sitegen.values import dataclass

_COUNTED = re.compile(
    r"(?<![\w.])\d{1,3}\s?[x×*]\s?(?:(?:nvidia|amd|intel|geforce|radeon|instinct|tesla|arc)[ -]*)*"
    r"(?:(?:rtx|gtx|rx|gh|gb|mi|a|b|h|l|v|t|p|m|w)[ -]?\d{1,4}\w*|gpus?\b)",
    re.IGNORECASE,
)
"""Words that count GPUs of whatever name."""
_HUMAN = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)([kKmM]?)")
SCALES = {"": 1, "k": 1_000, "K": 1_024, "m": 1_000_000, "M": 1_048_576}
LONGEST_CONTEXT = 100_000_000
ALONE = ("mllama", "qwen3_vl", "qwen3_5", "qwen3_next", "lfm2", "nemotron_h")
"""Families whose models Ollama gives one sequence, by their configs' ``model_type``."""
SHORT_CONTEXT = 8_192
"""Tokens that a launch is judged at where the context asked for does not fit."""


def tokens_of(text: str) -> int | None:
    """Read a context length, ``8K`` as vLLM does; ``None`` for ``auto`` and what is no number.

    >>> tokens_of("8192"), tokens_of("8K"), tokens_of("25.6k"), tokens_of("auto")
    (8192, 8192, 25600, None)
    """
    found = _HUMAN.fullmatch(text.strip())
    if found is None:
        return None
    tokens = int(float(found[1]) * SCALES[found[2]])
    return tokens if 0 < tokens <= LONGEST_CONTEXT else None


NO_IMAGES = re.compile(r"""\bimage["']?\s*[:=]\s*0\b""")
"""How ``--limit-mm-per-prompt`` says that no request has an image."""
FUSED = {
    **dict.fromkeys(("on", "enabled", "true", "1"), True),
    **dict.fromkeys(("off", "disabled", "false", "0"), False),
}
"""Whether flash attention is on, by what ``--flash-attn`` is given; ``auto`` leaves it open.

Source:
    https://github.com/ggml-org/llama.cpp, ``common/arg.cpp`` (``is_truthy``, ``is_falsey``).
"""


@dataclass
class LintContext:
    """The catalog with its engine, and what is the same for every file of a run."""

    engine: FitEngine
    tables: Mapping[str, OptionTable]
    asked: Combo | None = None
    auto: bool = False
    """Whether the smallest combo is looked for where a text names no hardware."""
    hardware: Hardware = field(init=False)
    repositories: Repositories = field(init=False)
    library: OllamaLibrary = field(init=False)
    _parts: dict[str, Combo] = field(default_factory=dict)
    _named: dict[str, TextHardware | None] = field(default_factory=dict)
    _answers: dict[object, Assessment | None] = field(default_factory=dict)
    _loaded: dict[str, ResolvedCheckpoint | None] = field(default_factory=dict)
    _designs: dict[str, Architecture | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hardware = Hardware(self.engine.catalog)
        self.repositories = Repositories(self.engine.catalog)
        listed = self.tables.get(TABLE)
        self.library = OllamaLibrary(self.engine.catalog, listed.kinds if listed else {})

    def named(self, launch: Launch) -> TextHardware | None:
        """Find the hardware of a launch: asked for, or named nearest to it."""
        if self.asked is not None:
            return TextHardware.of(self.asked)
        around = launch.snippet.around
        combo = self.engine.catalog.combos.get(around.combo)
        texts = ["\n".join(launch.comments), around.before, *around.headings]
        for text in texts[:1]:
            found = self.in_text(text)
            if found is not None:
                return found
        if combo is not None:
            return TextHardware.of(combo)
        return next(filter(None, (self.in_text(text) for text in texts[1:])), None)

    def speaks_of_hardware(self, launch: Launch) -> bool:
        """Whether the text around a launch counts GPUs of a name that was not recognised."""
        around = launch.snippet.around
        texts = ("\n".join(launch.comments), around.before, *around.headings)
        return any(_COUNTED.search(text) for text in texts)

    def smallest(self, launch: Launch) -> tuple[bool, Combo | None]:
        """Find the combo with the least memory on which a launch runs as it is written.

        Returns:
            Whether that could be asked at all, and the combo; ``None`` where none runs it.
        """
        meant, world = self.meant(launch), launch.world
        if meant is None or meant.checkpoint is None or world is None:
            return False, None
        asked = False
        for combo in self._by_size:
            part = self.combo(launch, TextHardware.of(combo))
            if part is None or world > len(part.gpus):
                continue
            request = self.request(launch, part, meant)
            found = self.answer(request) if request is not None else None
            asked = asked or found is not None
            if found is not None and runs_at_all(found):
                return True, combo
        return asked, None

    @cached_property
    def _by_size(self) -> tuple[Combo, ...]:
        """Combos from the least memory on, fewer GPUs first."""
        combos = self.engine.catalog.combos.values()
        return tuple(
            sorted(
                combos,
                key=lambda c: (sum(g.visible_bytes for g in c.gpus), len(c.gpus), c.id),
            )
        )

    def in_text(self, text: str) -> TextHardware | None:
        """Find the hardware that a text names, once."""
        if text not in self._named:
            self._named[text] = self.hardware.in_text(text) if text else None
        return self._named[text]

    def loaded(self, launch: Launch) -> ResolvedCheckpoint | None:
        """Find the model of a launch and the files that it names, once."""
        name = launch.model_name
        key = f"{launch.traits.names_tags} {name} {launch.text('file')}"
        if key not in self._loaded:
            self._loaded[key] = self.weighable(self._found(launch, name)) if name else None
        return self._loaded[key]

    def weighable(self, resolved: ResolvedCheckpoint | None) -> ResolvedCheckpoint | None:
        """Keep a checkpoint only where its bytes are known: the page has those that are published.

        Otherwise its model is known.
        """
        if resolved is None or resolved.checkpoint is None:
            return resolved
        try:
            self.engine.reduced(resolved.model, resolved.checkpoint)
        except ValueError:
            return replace(resolved, checkpoint=None)
        return resolved

    def _found(self, launch: Launch, name: str) -> ResolvedCheckpoint | None:
        if launch.traits.names_tags and not is_of_hub(name) and not is_file(name):
            return None if is_elsewhere(name) else self.library.find(name)
        if launch.traits.types_behind:
            return self._of_type(name)
        return self.repositories.find(name, launch.text("file"))

    def _of_type(self, name: str) -> ResolvedCheckpoint | None:
        """Find the file of a type; without one the program chooses among what it has there."""
        model, _, kind = name.rpartition("@")
        if model:
            return self.repositories.find(f"{model}:{kind}")
        found = self.repositories.find(name)
        if found is None or name.lower().endswith(".gguf"):
            return found
        return replace(found, checkpoint=None)

    def meant(self, launch: Launch) -> ResolvedCheckpoint | None:
        """Find the model and checkpoint of a launch, as its runtime would load it."""
        resolved_checkpoint = self.loaded(launch)
        word = launch.text("quantization")
        if resolved_checkpoint is None:
            return resolved_checkpoint
        if launch.text("dtype") in WIDE:
            whole = None if word else self.repositories.requantized(resolved_checkpoint, "fp32")
            return self.weighable(whole) or ResolvedCheckpoint(resolved_checkpoint.model, None)
        if not word:
            return resolved_checkpoint
        if word in STORED or (
            resolved_checkpoint.checkpoint is not None
            and resolved_checkpoint.checkpoint.quantization.nominal_bits < 16
        ):
            return resolved_checkpoint
        recipe = ONLINE.get(word, "")
        made = self.repositories.requantized(resolved_checkpoint, recipe)
        return self.weighable(made) or ResolvedCheckpoint(resolved_checkpoint.model, None)

    def design(self, model: LanguageModel) -> Architecture | None:
        """Read the architecture of a model once; ``None`` where its family is not known."""
        if model.id not in self._designs:
            self._designs[model.id] = design_of(model)
        return self._designs[model.id]

    def runtime(self, launch: Launch) -> tuple[Runtime, RuntimeProfile] | None:
        """Return the runtime with the profile of the version that the file names."""
        runtime = self.engine.catalog.runtimes.get(launch.runtime)
        if runtime is None or not runtime.profiles:
            return None
        digits = re.fullmatch(r"\d+(\.\d+)*", launch.version)
        profile = profile_of(runtime, launch.version if digits else "")
        if profile is None or (runtime, profile) not in self.engine.assessed_runtimes():
            pairs = {one.id: (one, other) for one, other in self.engine.assessed_runtimes()}
            return pairs.get(runtime.id)
        return runtime, profile

    def combo(self, launch: Launch, named: TextHardware) -> Combo | None:
        """Return the GPUs that a launch sees of its hardware."""
        whole = named.combo
        if whole is None:
            return None
        remote = launch.settings.get("rpc")
        if remote is not None:
            nodes = whole.nodes[: len(remote.text.split(",")) + 1]
            return self._kept(whole, f"rpc-{len(nodes)}", nodes, whole.network)
        if launch.visible is not None:
            key = f"{launch.hider}-{','.join(launch.visible)}"
            return self._kept(whole, key, (_shown(whole, launch.visible, launch.hider),), None)
        if launch.traits.whole_layers and len(whole.nodes) > 1:
            return self._kept(whole, "node", (_largest(whole),), None)
        return whole

    def _kept(
        self, whole: Combo, key: str, nodes: tuple[Node, ...], network: Interconnect | None
    ) -> Combo:
        """Keep some nodes of a combo, the same value for the same question."""
        name = f"{whole.id}/{key}"
        if name not in self._parts:
            network = network if len(nodes) > 1 else None
            self._parts[name] = replace(whole, id=name, nodes=nodes, network=network)
        return self._parts[name]

    def extremes(self, combo: Combo, count: int) -> tuple[Combo, Combo]:
        """Return the GPUs of a combo with the most memory and those with the least."""
        node = _largest(combo)
        gpus = sorted(node.gpus, key=lambda one: -one.visible_bytes)
        chosen = ((f"most-{count}", gpus[:count]), (f"least-{count}", gpus[-count:]))
        most, least = (
            self._kept(combo, key, (replace(node, gpus=tuple(kept)),), None) for key, kept in chosen
        )
        return most, least

    @cached_property
    def shortest_context(self) -> int:
        """Return the shortest context that still counts as running."""
        return int(self.engine.assumptions["reduced-context-tokens"].value.mid)

    def default_context(self, meant: ResolvedCheckpoint) -> int:
        """Return the context that a runtime takes when none is asked for."""
        prepared = self.engine.reduced(meant.model, meant.model.checkpoints[0])
        stated = prepared.architecture.max_position
        return min(meant.model.context_tokens, stated) if stated else meant.model.context_tokens

    def chosen_context(
        self, combo: Combo, pair: tuple[Runtime, RuntimeProfile], meant: ResolvedCheckpoint
    ) -> int:
        """Return the context that a runtime takes on some GPUs when none is asked for."""
        most = self.default_context(meant)
        memory = tuple(gpu.installed_bytes for gpu in combo.gpus)
        return min(most, default_context_tokens(pair[1], memory) or most)

    def is_alone(self, meant: ResolvedCheckpoint) -> bool:
        """Whether Ollama gives a model one sequence, whatever ``OLLAMA_NUM_PARALLEL`` says.

        Source:
            Ollama fb3076099, ``server/sched.go`` (``load``), read 2026-11-27: "model architecture
            does not currently support parallel requests".
        """
        design = self.design(meant.model)
        return design is not None and design.family.startswith(ALONE)

    def request(self, launch: Launch, combo: Combo, meant: ResolvedCheckpoint) -> FitRequest | None:
        """Put a launch as a question; ``None`` where a part of it is not known."""
        pair = self.runtime(launch)
        if pair is None or meant.checkpoint is None:
            return None
        runtime, profile = pair
        kv_dtype = _cache_type(launch)
        if not kv_dtype or meant.checkpoint.quantization.format not in runtime.formats:
            return None
        subject = ServedCheckpoint(meant.model, meant.checkpoint, runtime, profile)
        if not self.engine.prepare(subject).supports_cache_type(kv_dtype):
            return None
        context = self.chosen_context(combo, pair, meant)
        if "context" in launch.settings:
            asked = tokens_of(launch.text("context"))
            if asked is None:
                return None
            context = min(asked, self.default_context(meant)) if launch.traits.spills else asked
        sequences = launch.sequences or 1
        if launch.traits.context_each:
            sequences = 1 if self.is_alone(meant) else sequences
        elif sequences > 1:
            context = max(256, context // sequences)
        moe = self.engine.reduced(meant.model, meant.checkpoint).architecture.experts > 0
        data = launch.data or 1
        settings = Settings(
            memory_fraction=_fraction(launch),
            max_num_seqs=launch.number("sequences", 0) or None,
            max_num_batched_tokens=tokens_of(launch.text("batched")),
            enforce_eager="eager" in launch.settings,
            micro_batch_tokens=launch.number("micro_batch", 0) or None,
            flash_attention=FUSED.get(launch.text("flash").lower()),
            expert_parallel=_experts(launch) and moe,
            data_parallel_size=data if data > 1 and moe else None,
            decode_context_parallel_size=launch.number("decode_context", 0) or None,
            raised_limit=any(isinstance(g.gpu.memory, UnifiedMemory) for g in combo.gpus),
            text_only=runtime.memory_model is MemoryModel.PAGED and _is_blind(launch),
            images=runtime.memory_model is MemoryModel.LAYER_SPLIT and _has_projector(launch),
        )
        if any(one.gpu.sees_system_memory for one in combo.gpus):
            settings = as_typed(profile, settings)
        spread = launch.traits.whole_layers  # over every GPU that it sees
        return FitRequest(
            meant.model,
            meant.checkpoint,
            combo,
            runtime,
            profile,
            Workload(context, sequences, kv_dtype),
            settings,
            tensor_parallel_size=1 if spread else launch.tensor,
            pipeline_parallel_size=len(combo.gpus) if spread else launch.pipeline,
        )

    def answer(self, request: FitRequest) -> Assessment | None:
        """Assess a question once; ``None`` where the engine cannot know the model."""
        key = (
            request.model.id, request.checkpoint.id, id(request.combo), request.runtime.id,
            request.profile.version, request.workload, request.settings,
            request.tensor_parallel_size, request.pipeline_parallel_size,
        )  # fmt: skip
        if key not in self._answers:
            try:
                self._answers[key] = assess(self.engine, request)
            except ValueError:
                self._answers[key] = None
        return self._answers[key]

    @property
    def answers(self) -> tuple[Assessment, ...]:
        """Everything that was assessed so far."""
        return tuple(one for one in self._answers.values() if one is not None)

    def better(self, request: FitRequest) -> Assessment | None:
        """Find what runs instead: another plan, a shorter context, another checkpoint.

        The launch's own checkpoint comes first. Where it runs neither at the context asked for nor
        at a short one, the policy chooses among the published ones, as ``sitegen fit`` does for
        this runtime.
        """
        asked = min(request.workload.context_tokens, request.model.context_tokens)
        contexts = tuple(dict.fromkeys((asked, min(asked, SHORT_CONTEXT))))
        for choose in (self._own_plan, self._pick):
            for context in contexts:
                workload = replace(request.workload, context_tokens=context)
                found = choose(replace(request, workload=workload))
                if found is not None and _runs(found, context):
                    return found
        return None

    def _own_plan(self, request: FitRequest) -> Assessment | None:
        """Choose the plan of a checkpoint anew."""
        return self.answer(replace(request, tensor_parallel_size=None, pipeline_parallel_size=None))

    def _pick(self, request: FitRequest) -> Assessment | None:
        """Choose among the published checkpoints that the runtime loads, without further flags."""
        subjects = (
            ServedCheckpoint(request.model, one, request.runtime, request.profile)
            for one in request.model.checkpoints
            if one.is_published and one.quantization.format in request.runtime.formats
        )
        asks = (Ask(self.engine.prepare(subject), request.workload) for subject in subjects)
        kept = tuple(
            one for one in asks if one.runnable.supports_cache_type(request.workload.kv_dtype)
        )
        if not kept:
            return None
        combo, settings = request.combo, request.settings
        goal = usual_goal(self.engine, combo)
        question = ModelQuestion(
            request.model, combo, Asks(kept), goal, settings=settings, named=True
        )
        found = answered(self.engine, question, cured=False)
        return found if found is not None and found.settings == settings else None

    def subject(self, launch: Launch, meant: ResolvedCheckpoint) -> ServedCheckpoint | None:
        """Return what a launch loads under which runtime, hardware apart."""
        pair = self.runtime(launch)
        if pair is None or meant.checkpoint is None:
            return None
        return ServedCheckpoint(meant.model, meant.checkpoint, *pair)


def runs_at_all(assessment: Assessment) -> bool:
    """Whether an assessment runs on GPUs alone, at the context of its question."""
    whole = assessment.plan is not None and assessment.plan.kind is not PlanKind.OFFLOAD
    whole = whole and (assessment.busiest is None or assessment.busiest.utilization.mid <= 1)
    return (
        whole
        and assessment.tier is not FitTier.NOT_PRACTICAL
        and not any(reason.code.startswith("KV_BELOW") for reason in assessment.reasons)
    )


def _runs(assessment: Assessment, context_tokens: int) -> bool:
    """Whether an assessment runs on GPUs alone at the context asked for."""
    return (
        assessment.plan is not None
        and assessment.tier is not FitTier.NOT_PRACTICAL
        and assessment.plan.kind is not PlanKind.OFFLOAD
        and assessment.verdict_context_tokens == context_tokens
    )


def _fraction(launch: Launch) -> float | None:
    text = launch.text("fraction")
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and 0 < value <= 1 else None


def _experts(launch: Launch) -> bool:
    if "experts" not in launch.settings:
        return False
    return not launch.traits.one_expert_rank or (launch.number("experts") or 1) > 1


def _is_blind(launch: Launch) -> bool:
    """Whether a launch says that no request has an image."""
    return "no_images" in launch.settings or bool(NO_IMAGES.search(launch.text("images")))


def _has_projector(launch: Launch) -> bool:
    """Whether a launch puts an image projector on a GPU: one that it names, or a repository's.

    Source:
        llama.cpp 0c1e57098, ``common/arg.cpp``: ``-hf`` loads the repository's projector too.
    """
    brings = launch.traits.names_tags or (
        launch.traits.loads_projector and "repository" in launch.settings
    )
    return bool("images" in launch.settings or brings) and "no_images" not in launch.settings


def _largest(combo: Combo) -> Node:
    return max(combo.nodes, key=lambda one: len(one.gpus))


def _shown(combo: Combo, visible: tuple[str, ...], hider: str) -> Node:
    """Keep the GPUs of a node that a process sees: a driver counts those of its vendor."""
    node = _largest(combo)
    vendor = next((one for one, name in VISIBLE.items() if name == hider), None)
    mine = tuple(gpu for gpu in node.gpus if gpu.gpu.vendor is vendor) or node.gpus
    indices = [at for one in visible if (at := whole_number(one)) is not None]
    if len(indices) == len(visible) and all(at < len(mine) for at in indices):
        gpus = tuple(mine[at] for at in indices)
    else:
        gpus = mine[: len(visible)]
    return replace(node, gpus=gpus, link=node.link if len(gpus) > 1 else None)


def _cache_type(launch: Launch) -> str:
    """Return the type of a launch's cache in the engine's words, empty for an unknown one."""
    keys = SPELLINGS.get(launch.text("kv_dtype").lower() or "auto", "")
    if "value_dtype" not in launch.traits.settings:
        return keys
    values = SPELLINGS.get(launch.text("value_dtype").lower() or "auto", "")
    return joined(keys, values) if keys and values else ""
