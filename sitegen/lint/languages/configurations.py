"""Configurations of servers: Ray Serve, docker compose, Kubernetes, the Infernet daemon."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.lint import programs
from sitegen.lint.known_programs import reads_variables, traits_of
from sitegen.lint.languages import shell
from sitegen.lint.languages.markdown import snippets_of_block
from sitegen.lint.languages.plain_text import PROGRAMS, guessed
from sitegen.lint.launches import (
    HIDERS,
    Form,
    Launch,
    Setting,
    devices,
    first_devices,
    of_invocation,
    of_tree,
    tree_setting,
    with_variables,
)
from sitegen.lint.options import OptionTable
from sitegen.lint.programs import IMAGES, UNTOLD
from sitegen.lint.scene import (
    PORT,
    Daemon,
    Deployment,
    FileModel,
    Keywords,
    PublishedPort,
    Variable,
)
from sitegen.lint.script import Command, Word, whole_number
from sitegen.lint.snippets import Snippet, Spot, without
from sitegen.lint.trees import Tree, amount
from sitegen.recipes.recipe import Language

LONGEST_SCRIPT = 20_000
_CALLED = ("entrypoint", "command", "args")
_RUN = re.compile(r"(?:run|setup|entrypoint|args|.*(?:cmd|commands?|script))", re.IGNORECASE)
"""Keys whose text is run, in files of whatever program: ``run``, ``startCmd``."""
_CHART = frozenset(
    {"tensorParallelSize", "pipelineParallelSize", "maxModelLen", "dtype", "gpuMemoryUtilization",
     "maxNumSeqs", "maxNumBatchedTokens", "kvCacheDtype"}
)  # fmt: skip
_STARTS = re.compile(rf"(?:{PROGRAMS}|vllm-openai)")
_OF_PODS = frozenset(
    {"replicas", "nodeSelector", "tolerations", "affinity", "securityContext", "imagePullPolicy",
     "priorityClassName", "serviceAccount", "serviceAccountName", "initContainers", "volumeMounts",
     "readinessProbe", "livenessProbe", "startupProbe", "storageClassName"}
)  # fmt: skip
"""Keys of Kubernetes: two of them tell values of a chart from those of another program."""
LIMITS = {"CUDA_VISIBLE_DEVICES": "nvidia.com/gpu", "HIP_VISIBLE_DEVICES": "amd.com/gpu"}
"""What a container of Kubernetes is limited to, by the variable that would say the same."""
_OF_COMPOSE = re.compile(r"(?<!\$)\$\{?([A-Za-z_]\w*)")
"""A variable that docker compose puts in."""
_DOUBLED = re.compile(r"(?<=\$)\$")
"""The second of two dollars."""
_SPREAD = re.compile(
    r"leaderworkerset|RayCluster|RayService|\bray start\b|--nnodes|--headless|--node[-_]rank"
    r"|MPIJob|mpirun|multinode|\bLWS_|workerSpec",
    re.IGNORECASE,
)
"""Words of a plan over several pods."""
_OF_KSERVE = frozenset(
    {"--model_dir", "--model_revision", "--tokenizer_revision", "--disable_lower_case",
     "--disable_special_tokens", "--tensor_input_names", "--backend", "--return_token_type_ids",
     "--return_offsets_mapping", "--return_probabilities", "--return_raw_logits",
     "--disable_log_requests", "--task", "--http_port", "--grpc_port", "--workers",
     "--max_threads", "--enable_docs_url", "--enable_latency_logging", "--log_config_file"}
)  # fmt: skip
"""Options of KServe's own server of models, which hands all others to vLLM."""
_AS_VLLM = {"--model_name": "--served-model-name", "--max_length": "--max-model-len"}
"""Its options by those of vLLM that they are."""
_KEY_OF_MAP = ("valueFrom", "configMapKeyRef", "key")
_DAEMON = ("vllm_host", "vllm_instances", "vllm_model")


def read_tree(
    scene: FileModel, snippet: Snippet, tree: Tree, tables: Mapping[str, OptionTable]
) -> Iterator[Snippet]:
    """Take what a configuration says; yield the scripts that stand in it."""
    if tree.kind == "mapping" and "backend" in tree.fields and set(_DAEMON) & tree.fields.keys():
        scene.daemons.append(Daemon(tree, snippet))
    _tabby(scene, snippet, tree)
    taken: set[int] = set()
    scripts: list[Snippet] = []
    for one in tree.walk():
        if one.kind != "mapping":
            continue
        if "engine_kwargs" in one.fields and "llm_config" not in one.fields:
            replica(scene, snippet, one, tables)
        command = values_command(one) if one is not tree or "url" in one.fields else ()
        if command:
            _launched(scene, snippet, one, command, tables)
            taken |= {id(part) for inner in one.walk() for part in (inner, *inner.items)}
        elif {"image", "command", "args", "entrypoint"} & one.fields.keys():
            read = tuple(container(scene, snippet, one, tables))
            scripts += (inner for inner in read if inner is not None)
            if read:
                parts = [one.fields[key] for key in _CALLED if key in one.fields]
                taken |= {id(inner) for part in parts for inner in (part, *part.items)}
    scripts += texts(scene, snippet, tree, taken, tables)
    yield from sorted(scripts, key=lambda script: script.index(0))
    _services(scene, snippet, tree)


def note_map(scene: FileModel, snippet: Snippet, tree: Tree) -> None:
    """Note what a ConfigMap holds: containers of other documents are given it as variables.

    Source:
        https://kubernetes.io/docs/concepts/configuration/configmap/.
    """
    kind, name = tree.at("kind"), tree.at("metadata", "name")
    data = tree.at("data")
    if kind is None or name is None or data is None or kind.text() != "ConfigMap":
        return
    scene.maps[name.text()] = {
        key: Setting(value.text(), Spot(snippet, value.start), value.end, _is_known(value))
        for key, value in data.fields.items()
    }


OF_TABBY = ("network", "logging", "model", "draft_model", "sampling", "lora", "embeddings",
            "memory", "developer")  # fmt: skip
"""Parts of a configuration of TabbyAPI (``common/config_models.py``)."""


def _tabby(scene: FileModel, snippet: Snippet, tree: Tree) -> None:
    """Take a configuration of TabbyAPI: what it loads, and where it listens."""
    model = tree.at("model") if tree.kind == "mapping" else None
    if model is None or model.kind != "mapping" or set(tree.fields) - set(OF_TABBY):
        return
    if not {"model_dir", "model_name"} & model.fields.keys():
        return
    called = model.at("model_name")
    older = called is not None and "exl2" in called.text().lower()  # its branch loads no others
    program = "tabbyapi-exl2" if older else "tabbyapi"
    for name in OF_TABBY:
        part = tree.at(name)
        if part is not None and part.kind == "mapping":
            scene.keywords.append(Keywords(program, part, snippet))
    named = {
        "model": model.at("model_name"),
        "context": model.at("max_seq_len"),
        "kv_dtype": model.at("cache_mode"),
        "host": tree.at("network", "host"),
        "port": tree.at("network", "port"),
    }
    settings = {
        name: tree_setting(snippet, value)
        for name, value in named.items()
        if value is not None and value.scalar is not None
    }
    open_ = tree.at("network", "disable_auth")
    if open_ is None or open_.text() != "true":  # it makes itself a key where it has none
        settings["key"] = Setting("", Spot(snippet, tree.start), tree.start, known=False)
    place = settings["model"].place if "model" in settings else Spot(snippet, model.start)
    scene.launches.append(Launch(program, Form.REPLICA, settings, place))


def texts(
    scene: FileModel, snippet: Snippet, tree: Tree, taken: Collection[int],
    tables: Mapping[str, OptionTable],
) -> Iterator[Snippet]:  # fmt: skip
    """Yield the scripts and the Markdown that stand as values wherever an author put them.

    ``taken`` has the identities of the values that were read as a container's words.
    """
    macros = tree.at("macros") if tree.kind == "mapping" else None
    known = {k: v.text() for k, v in macros.fields.items()} if macros is not None else {}
    contained_all = _is_service(tree) or snippet.around.contained
    version_of_all = _image_version(tree) or snippet.around.version
    for one in tree.walk():
        if one is macros or not one.fields:
            continue  # macros are read where they are used
        contained = contained_all or "image" in one.fields
        version = _image_version(one) or version_of_all
        around = replace(snippet.around, contained=contained, version=version)
        here = replace(snippet, around=around)
        for key, value in one.fields.items():
            words = [item for item in value.items if item.kind == "scalar" and item.text()]
            if id(value) in taken:
                continue
            if len(words) > 1 and words[0].start != words[-1].start and _is_call(words):
                _launched(scene, here, one, tuple(_words(here, value)), tables)
                continue
            for item in (*words, value):
                text = item.text()
                meanings = known if key == "cmd" else {}
                if id(item) in taken or not _STARTS.search(_expanded(text, meanings)):
                    continue
                if "```" in text and snippet.text[item.start : item.start + 1] == "|":
                    line = snippet.source.text.count("\n", 0, snippet.index(item.start)) + 1
                    yield from snippets_of_block(snippet.source, text, line, around)
                elif _RUN.fullmatch(key) or guessed(text) is Language.BASH:
                    yield from _script(here, item, meanings, joined=key == "cmd")


def _is_service(tree: Tree) -> bool:
    """Whether a whole file is of something that runs containers: a cluster, or dstack."""
    kind = tree.at("type")
    told = kind is not None and kind.text() in {"service", "task", "dev-environment"}
    if told or tree.at("apiVersion") is not None or tree.at("image") is not None:
        return True
    return len(_OF_PODS & {key for one in tree.walk() for key in one.fields}) > 1


def _is_call(words: Sequence[Tree]) -> bool:
    """Whether the items of a list are the words of one command."""
    listed = [Word(one.text(), one.start, one.end) for one in words]
    found = programs.find(listed)
    return found is not None and " " not in words[0].text()


def values_command(tree: Tree) -> tuple[Word, ...]:
    """Write what values of a chart or a custom resource ask of an engine as its command.

    Source:
        vllm-project/production-stack, ``helm/values.yaml`` (``modelURL``, ``vllmConfig``), and
        substratusai/kubeai, ``charts/models/values.yaml`` (``engine``, ``url``, ``args``), read
        2026-11-23.
    """
    config, url = tree.fields.get("vllmConfig"), tree.fields.get("modelURL")
    if config is not None and url is not None and config.kind == "mapping":
        words = [*_called(("vllm", "serve"), url)]
        for key, value in config.fields.items():
            option = "--" + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", key).lower()
            if key in _CHART and value.kind == "scalar":
                start = config.keys.get(key, value.start)
                words.append(Word(option, start, start + len(key)))
                words.append(Word(value.text(), value.start, value.end, _is_known(value)))
        extra = config.fields.get("extraArgs")
        return (*words, *(_item(one) for one in (extra.items if extra is not None else ())))
    kind = tree.at("modelFormat", "name")
    if kind is not None and kind.text() == "huggingface":
        return _of_kserve(tree)
    engine, model = tree.fields.get("engine"), tree.fields.get("url")
    if engine is not None and model is not None and engine.text() == "VLLM":
        arguments = tree.fields.get("args")
        listed = arguments.items if arguments is not None else ()
        return (*_called(("vllm", "serve"), model), *(_item(one) for one in listed))
    return ()


def _of_kserve(tree: Tree) -> tuple[Word, ...]:
    """Write what KServe's server of models hands to vLLM as a command of vLLM.

    Source:
        kserve aaac4e2, ``python/huggingfaceserver/huggingfaceserver/__main__.py``, read 2026-11-27.
    """
    listed = [_item(one) for one in _listed(tree.fields.get("args"))]
    kept: list[Word] = []
    stored = tree.fields.get("storageUri")
    model = tuple(_called(("vllm", "serve"), stored)) if stored is not None else ()
    for at, word in enumerate(listed):
        name, equals, value = word.text.partition("=")
        plain = name.replace("-", "_").replace("__", "--", 1)
        before = listed[at - 1].text.replace("-", "_").replace("__", "--", 1) if at else ""
        if plain == "--model_id" and equals:
            model = _vllm(replace(word, text=value))
        elif before == "--model_id":
            model = _vllm(word)
        elif plain in _AS_VLLM:
            kept.append(replace(word, text=_AS_VLLM[plain] + equals + value))
        elif plain not in _OF_KSERVE and plain != "--model_id" and before not in _OF_KSERVE:
            kept.append(word)
    start = tree.start
    called = (Word("vllm", start, start), Word("serve", start, start))
    return (*(model or (*called, Word("$MODEL", start, start, known=False))), *kept)


def _vllm(model: Word) -> tuple[Word, ...]:
    start = model.start
    return Word("vllm", start, start), Word("serve", start, start), model


def _listed(tree: Tree | None) -> tuple[Tree, ...]:
    return tree.items if tree is not None else ()


def _called(program: tuple[str, ...], model: Tree) -> Iterator[Word]:
    yield from (Word(one, model.start, model.start) for one in program)
    yield Word(model.text().removeprefix("hf://"), model.start, model.end, _is_known(model))


def _item(tree: Tree) -> Word:
    return Word(tree.text(), tree.start, tree.end, _is_known(tree))


def _launched(
    scene: FileModel, snippet: Snippet, tree: Tree, words: tuple[Word, ...],
    tables: Mapping[str, OptionTable],
) -> bool:  # fmt: skip
    """Take the words of a command that a configuration lists; say whether it is one of ours."""
    found = programs.find(words) or _by_image(tree, words)
    given = dict(_variable_settings(scene, snippet, tree))
    if found is None or found[0] not in tables:
        return False
    if not words and not traits_of(found[0]).variables.keys() & given.keys():
        return False
    start = words[0].start if words else tree.fields["image"].start
    command = Command(words, (), start, words[-1].end if words else tree.fields["image"].end)
    version = found[2] or _image_version(tree) or snippet.around.version
    if not version and "modelFormat" in tree.fields:
        version = UNTOLD  # of the image of a runtime that another file names
    call = programs.parsed(tables[found[0]], command, found[1], version)
    scene.invocations.append((snippet, call))
    launch = of_invocation(snippet, call, {})
    if launch is not None:
        launch = with_variables(launch, given)
        hider, hidden = _hidden(tree, snippet.source.text)
        alone = "profiles" in tree.fields  # of those that are asked for, nobody knows which
        launch = replace(
            launch, contained=not _on_host(tree), background=not alone, hider=hider or launch.hider
        )
        if hidden is not None:
            place = Spot(snippet, tree.start)
            launch = replace(launch, visible=hidden, visible_place=place, hider=hider)
        scene.launches.append(launch)
    return True


def replica(
    scene: FileModel, snippet: Snippet, tree: Tree, tables: Mapping[str, OptionTable]
) -> None:
    """Take an ``LLMConfig`` of Ray Serve."""
    kwargs = tree.fields["engine_kwargs"]
    settings: dict[str, Setting] = {}
    if kwargs.kind == "mapping":
        scene.keywords.append(Keywords("vllm", kwargs, snippet))
        settings = of_tree(snippet, "vllm", kwargs, tables["vllm"])
    source = tree.at("model_loading_config", "model_source")
    name = source or tree.at("model_loading_config", "model_id")
    if name is not None:
        settings["model"] = tree_setting(snippet, name)
    replicas = _replicas(snippet, tree.at("deployment_config") or tree)
    launch = Launch("vllm", Form.REPLICA, settings, Spot(snippet, tree.start))
    scene.launches.append(launch)
    bundles = tree.at("placement_group_config", "bundles")
    if bundles is not None and bundles.kind == "list":
        gpus = [one.at("GPU") for one in bundles.items]
        amounts = tuple(amount(one) for one in gpus)
        place = Spot(snippet, bundles.start)
        strategy = tree.at("placement_group_config", "strategy")
        scene.deployments.append(
            Deployment(
                "placement_group_config", sum(amounts), place, replicas, launch,
                strategy.text() if strategy else "", amounts,
            )
        )  # fmt: skip
        return
    options = tree.at("deployment_config", "ray_actor_options", "num_gpus")
    if options is not None:
        scene.deployments.append(
            Deployment(
                "ray_actor_options", amount(options), Spot(snippet, options.start), replicas,
                launch,
            )
        )  # fmt: skip
    else:
        scene.deployments.append(
            Deployment("replica", None, Spot(snippet, tree.start), replicas, launch)
        )


def _replicas(snippet: Snippet, tree: Tree) -> Setting | None:
    """Find how many replicas there are at least: what never comes up is an error."""
    for path in (
        ("num_replicas",),
        ("autoscaling_config", "initial_replicas"),
        ("autoscaling_config", "min_replicas"),
    ):
        found = tree.at(*path)
        if found is not None and whole_number(found.text()) is not None:
            return tree_setting(snippet, found)
    return None


def container(
    scene: FileModel, snippet: Snippet, tree: Tree, tables: Mapping[str, OptionTable]
) -> Iterator[Snippet | None]:
    """Take a container of docker compose or Kubernetes; yield its scripts, ``None`` for words."""
    listed = [tree.fields[one] for one in _CALLED if one in tree.fields]
    settings = dict(_variable_settings(scene, snippet, tree))
    given = {name: one.text for name, one in settings.items() if one.known}
    words = [_filled(word, given) for part in listed for word in _words(snippet, part)]
    scripts = [part for part in listed if part.kind == "scalar" and not _is_one_command(part)]
    if words and programs.base(words[0].text) in programs.SHELLS:
        scripts = _given_to_shell(listed)
        words = []
    version = _image_version(tree) or snippet.around.version
    around = replace(snippet.around, contained=not _on_host(tree), version=version)
    if {"env", "envFrom"} & tree.fields.keys():  # of a pod: compose puts in variables of its own
        around = replace(around, variables=given)
    elif "environment" in tree.fields or "$$" in snippet.text:
        around = replace(around, variables=given, doubled=True)
    _variables(scene, snippet, tree, words)
    for script in scripts:
        yield from _script(replace(snippet, around=around), script)
    if not {"command", "entrypoint"} & tree.fields.keys():
        _twice(scene, snippet, tree, "args")
    if _launched(scene, snippet, tree, tuple(words), tables):
        yield None


def _variables(scene: FileModel, snippet: Snippet, tree: Tree, words: Sequence[Word]) -> None:
    """Note the variables of a container whose server reads some."""
    found = programs.find(words) or _by_image(tree, words)
    if found is None or not (found[0] == "ollama" or reads_variables(found[0])):
        return
    contained, version = not _on_host(tree), _image_version(tree)
    for name, setting in _variable_settings(scene, snippet, tree):
        scene.environment.append(Variable(snippet, name, setting, found[0], contained, version))


def _variable_settings(
    scene: FileModel, snippet: Snippet, tree: Tree
) -> Iterator[tuple[str, Setting]]:
    """Yield the variables of a container as settings, those of a ConfigMap where they stand."""
    for one in _listed(tree.fields.get("envFrom")):
        name, prefix = one.at("configMapRef", "name"), one.at("prefix")
        held = scene.maps.get(name.text(), {}) if name is not None else {}
        before = prefix.text() if prefix is not None else ""
        yield from ((before + key, setting) for key, setting in held.items())
    for one in _listed(tree.fields.get("env")):
        kept, key = one.at("valueFrom", "configMapKeyRef", "name"), one.at(*_KEY_OF_MAP)
        called = one.at("name")
        if kept is not None and key is not None and called is not None:
            held = scene.maps.get(kept.text(), {})
            if key.text() in held:
                yield called.text(), held[key.text()]
    for given, value in _given(tree.fields.get("environment") or tree.fields.get("env")):
        if value.kind == "scalar" and value.known:
            known = _is_known(value)
            yield given, Setting(value.text(), Spot(snippet, value.start), value.end, known)


def _given_to_shell(listed: Sequence[Tree]) -> list[Tree]:
    """Find the script among the words of a container that starts a shell: it follows ``-c``."""
    items = [item for part in listed for item in (part.items or (part,))]
    after = (at for at, one in enumerate(items[:-1]) if re.fullmatch(r"-\w*c", one.text()))
    told = [items[at + 1] for at in after][:1] or items[-1:]
    # options of the shell in one text with its script: it is named again before them
    return [
        replace(one, scalar=f"sh {one.text()}") if one.text()[:1] == "-" else one for one in told
    ]


def _filled(word: Word, given: Mapping[str, str]) -> Word:
    """Put the variables of a container where Kubernetes does: ``$(NAME)``."""
    names = re.findall(r"\$\((\w+)\)", word.text)
    if not names:
        return word
    text = re.sub(r"\$\((\w+)\)", lambda found: given.get(found[1], found[0]), word.text)
    return replace(word, text=text, known="$" not in text and "<__" not in text)


def _words(snippet: Snippet, part: Tree) -> Iterator[Word]:
    """Yield the words of a list, or of a command written as a text, each where it stands."""
    for one in part.items:
        yield Word(one.text(), one.start, one.end, _is_known(one))
    if not part.text() or not _is_one_command(part):
        return
    text, cursor = " ".join(part.text().split("\n")), part.start
    for word in (w for one in shell.read(text, {}).commands[:1] for w in one.words):
        raw = text[word.start : word.end]
        at = snippet.text.find(raw, cursor, part.end)  # not there where YAML escapes or folds it
        cursor = at + len(raw) if at >= 0 else cursor
        start, end = (at, cursor) if at >= 0 else (part.start, part.end)
        yield replace(word, start=start, end=end)


def _is_one_command(part: Tree) -> bool:
    """Whether a text is one line of words, or a command with its options over several lines."""
    text = part.text().strip()
    more = [line.strip() for line in text.split("\n")[1:] if line.strip()]
    options = all(line.startswith("-") and not line.endswith("\\") for line in more)
    return len(text) < LONGEST_SCRIPT and (options or text.startswith("-"))


def _by_image(tree: Tree, words: Sequence[Word]) -> tuple[str, int, str] | None:
    """Find the program that an image starts with the words that it is given."""
    image = tree.fields.get("image")
    for pattern, program in IMAGES if image is not None else ():
        found = pattern.search(image.text()) if image is not None else None
        if found is not None:
            start = programs.behind_serve(program, words, 0)
            return program, start, (found[1] or "") if found.lastindex else ""
    return None


def _image_version(tree: Tree) -> str:
    image = tree.fields.get("image")
    name = image.text() if image is not None else ""
    return programs.version_of_image(name) if name and "<__" not in name else ""


def _is_known(tree: Tree) -> bool:
    text = tree.text()
    unsure = any(sign in text for sign in ("${", "$$", "<__"))
    return tree.known and not unsure and not text.startswith("$")


def _on_host(tree: Tree) -> bool:
    mode = tree.fields.get("network_mode")
    return mode is not None and mode.text() == "host"


def _expanded(text: str, macros: Mapping[str, str]) -> str:
    for name, meaning in macros.items():
        text = text.replace("${" + name + "}", " ".join(meaning.split()))
    return text


def script_of(snippet: Snippet, start: int, end: int, text: str) -> Iterator[Snippet]:
    """Cut a script out of a text that stands in another language, as ``_script`` does."""
    yield from _script(snippet, Tree(start, end, text))


def _script(
    snippet: Snippet, tree: Tree, macros: Mapping[str, str] | None = None, *, joined: bool = False
) -> Iterator[Snippet]:
    """Cut a script out of a configuration, each word found again in the file.

    ``macros`` stand for names in the text, where the program that reads it has such; ``joined``
    lines are one command, comments between them left out.
    """
    text = tree.text()
    if not text or len(text) > LONGEST_SCRIPT:
        return
    if joined:
        text = re.sub(r"(?m)^[ \t]*#.*$", lambda found: " " * len(found[0]), text)
        text = re.sub(r"\\?\n", lambda found: " " * len(found[0]), text)
    text = _expanded(text, macros or {})
    if snippet.around.variables:  # what Kubernetes puts in before the shell does
        text = re.sub(r"\$\((\w+)\)", lambda found: f"${{{found[1]}}}", text)
    breaks, cursor = [(0, snippet.index(tree.start))], tree.start
    for word in re.finditer(r"\S+", text):
        at = snippet.text.find(word[0], cursor, tree.end)
        if at >= 0:
            breaks.append((word.start(), snippet.index(at)))
            cursor = at + len(word[0])
    part = Snippet(snippet.source, text, Language.BASH, tuple(breaks), snippet.around)
    yield _interpolated(part) if snippet.around.doubled else part


def _interpolated(part: Snippet) -> Snippet:
    """Take a script as docker compose hands it on: two dollars are one for the shell.

    Before a single one stands a variable of compose's own, which hides that of the container.

    Source:
        https://docs.docker.com/reference/compose-file/interpolation/, read 2026-11-28.
    """
    hidden = set(_OF_COMPOSE.findall(part.text))
    kept = {name: text for name, text in part.around.variables.items() if name not in hidden}
    return without(replace(part, around=replace(part.around, variables=kept)), _DOUBLED)


def _hidden(tree: Tree, text: str) -> tuple[str, tuple[str, ...] | None]:
    """Find the GPUs that a container is shown: by variable, by reservation or by its limit.

    ``text`` is the whole file: a plan over several pods takes more than the limit of one.
    """
    for name, value in _environment(tree.fields.get("environment") or tree.fields.get("env")):
        if name in HIDERS:
            return name, None if "$" in value or "<__" in value else devices(value)
    reserved = tree.at("deploy", "resources", "reservations", "devices")
    for one in reserved.items if reserved is not None else ():
        ids = one.fields.get("device_ids")
        if ids is not None and ids.kind == "list":
            return HIDERS[0], tuple(each.text() for each in ids.items)
        count, driver = one.fields.get("count"), one.fields.get("driver")
        given = first_devices(count.text()) if count is not None else ()
        if given and (driver is None or driver.text() == "nvidia"):
            return HIDERS[0], given
    limits = tree.at("resources", "limits")
    for hider, name in LIMITS.items() if not _SPREAD.search(text) else ():
        limit = limits.fields.get(name) if limits is not None else None
        given = first_devices(limit.text()) if limit is not None else ()
        if given:
            return hider, given
    return "", None


def _environment(tree: Tree | None) -> Iterator[tuple[str, str]]:
    """Yield the variables of a container, however they are written."""
    for name, value in _given(tree):
        yield name, value.text()


def _given(tree: Tree | None) -> Iterator[tuple[str, Tree]]:
    """Yield the variables of a container with their values where they stand."""
    if tree is None:
        return
    yield from tree.fields.items()
    for one in tree.items:
        named, value = one.fields.get("name"), one.fields.get("value")
        if one.kind == "mapping":
            nothing = Tree(one.start, one.end, known=False)
            yield named.text() if named else "", value if value is not None else nothing
        else:
            name, _, text = one.text().partition("=")
            yield name, Tree(one.start, one.end, text, known=one.known)


def _twice(scene: FileModel, snippet: Snippet, tree: Tree, key: str) -> None:
    """Note a container whose words start the server that its image starts by itself."""
    image, part = tree.fields.get("image"), tree.fields.get(key)
    if image is None or part is None:
        return
    words = tuple(_words(snippet, part))
    twice = programs.started_twice(image.text(), words)
    if twice:
        scene.started_twice.append((Spot(snippet, words[0].start), twice))


def _services(scene: FileModel, snippet: Snippet, tree: Tree) -> None:
    """Take the published ports of the services of docker compose."""
    services = tree.at("services") if tree.kind == "mapping" else None
    if services is None or tree.at("apiVersion") is not None:
        return
    for name, service in services.fields.items():
        if "entrypoint" not in service.fields:
            _twice(scene, snippet, service, "command")
        started = rf"\bup[ \t]+(?:-\S+[ \t]+)*{re.escape(name)}(?![\w-])"
        if "profiles" in service.fields or re.search(started, snippet.source.text):
            continue  # of those that are asked for, nobody knows which
        ports = service.fields.get("ports")
        for one in ports.items if ports is not None else ():
            found = PORT.fullmatch(one.text())
            if found is not None:
                scene.published.append(PublishedPort(int(found[1]), Spot(snippet, one.start), name))
