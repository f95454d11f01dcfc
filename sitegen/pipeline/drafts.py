"""Single pages of the newest sources, made from what was found for sources before.

A draft is what an editor looks at while a whole build is on its way (decision 59). What the page
itself is about is judged anew where it has changed; what it says of other combos and of records
may be as old as the last whole build, whose page takes the draft's place. Nothing of a draft is
published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import field, replace
from functools import cache
from typing import TypeVar

from jinja2 import Environment

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.engine_after import engine_after
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import ProjectFiles
from sitegen.physics.model_facts import ModelFacts, model_facts
from sitegen.pipeline.garbage import collector_paused
from sitegen.pipeline.memory import Past
from sitegen.pipeline.pages import rendered
from sitegen.pipeline.recall import Recall, program_of
from sitegen.pipeline.sources import Parsed, Parser
from sitegen.pipeline.surveys import answers_in
from sitegen.render.environment import environment
from sitegen.site.collect import Pages, page_kinds
from sitegen.site.inputs import SiteInputs, rows_by_model
from sitegen.site.page import Lazy, Page
from sitegen.site.pages import documents
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.every_combo import prepare_all, survey_combo
from sitegen.survey.gpu_counts import gpus_needed
from sitegen.survey.results import ComboSurvey, ModelOnCombo, Survey
from sitegen.values import dataclass

V = TypeVar("V")
ASSETS = "assets/"
HARDWARE = frozenset({"combos", "gpus"})
"""Folders of the catalog whose files are read for some combos and not for others."""
WORDS = ("name", "summary", "prose", "notes", "sources", "span", "prices")
"""Fields of a combo that no verdict depends on; a survey copies them, and a draft may show those of
before where it names the combo less a part."""
FEW = 8
"""Combos that are judged for a page about many; when more have moved, the build is waited for."""


class Newest(Mapping[str, V]):
    """Values by id, of today for the ids that were asked for and of before for all others."""

    def __init__(
        self, ids: Mapping[str, object], before: Mapping[str, V], make: Callable[[str], V]
    ) -> None:
        self._ids, self._before, self._make = ids, before, make
        self._made: dict[str, V] = {}

    def want(self, id_: str) -> None:
        """Have the value of an id made, where there is such an id."""
        if id_ in self._ids and id_ not in self._made:
            self._made[id_] = self._make(id_)

    def made(self) -> Set[str]:
        """Name the values that are of today."""
        return self._made.keys()

    def __getitem__(self, id_: str) -> V:
        """Return a value as new as it was asked for."""
        if id_ not in self._made and id_ not in self._before:
            self.want(id_)
        return self._made[id_] if id_ in self._made else self._before[id_]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of today."""
        return iter(self._ids)

    def __len__(self) -> int:
        """Count the ids of today."""
        return len(self._ids)


class _Rows(Mapping[str, tuple[ModelOnCombo, ...]]):
    """Rows by model, gathered when a page asks for some."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._found: Mapping[str, tuple[ModelOnCombo, ...]] | None = None

    def _rows(self) -> Mapping[str, tuple[ModelOnCombo, ...]]:
        if self._found is None:
            self._found = rows_by_model(self._survey)
        return self._found

    def __getitem__(self, model: str) -> tuple[ModelOnCombo, ...]:
        """Return a model's rows."""
        return self._rows()[model]

    def __iter__(self) -> Iterator[str]:
        """Iterate over models with rows."""
        return iter(self._rows())

    def __len__(self) -> int:
        """Count models with rows."""
        return len(self._rows())


@dataclass(slots=True)
class _Now:
    """What pages are made of at present."""

    project: ProjectFiles
    parsed: Parsed
    inputs: SiteInputs
    templates: Environment
    kinds: Mapping[str, Pages]
    """Who makes a page, by URL."""
    old: Set[str] = frozenset()
    """Combos whose survey is of other facts than today's."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Drafts of these sources."""

    @property
    def behind(self) -> frozenset[str]:
        """Combos whose survey is still of other facts."""
        combos = self.inputs.survey.combos
        made = combos.made() if isinstance(combos, Newest) else frozenset()
        return frozenset(self.old) - made


class Drafts:
    """Makes pages of the sources that it was last given."""

    def __init__(self, past: Past) -> None:
        self._past = past
        self._parser = Parser()
        self._now: _Now | None = None

    def renew(self, project: ProjectFiles) -> None:
        """Take newer sources; the first ones are surveyed whole, from memory as far as it goes.

        Raises:
            ProblemsFound: With the problems of the sources; pages are made of the last good ones.
        """
        now = self._now
        if now is None:
            with collector_paused():  # what is made now lives on
                self._now = self._begun(project, self._parser.parse(project))
            return
        parsed = self._parser.parse(project)
        Lazy.forget()  # their makers hold the whole catalog of before
        if parsed.catalog is now.parsed.catalog:
            self._now = self._with_texts(now, project, parsed)
        else:
            self._now = self._with_catalog(now, project, parsed)

    def files(self, path: str) -> Mapping[str, bytes]:
        """Return the file at a path with those that are made beside it; nothing if it has no draft.

        Raises:
            ProblemsFound: With what documents refer to in vain.
            RenderError: If a template raises anything.
        """
        now = self._now
        if now is None:
            return {}
        if path.startswith(ASSETS):
            name = path.removeprefix(ASSETS)
            return {path: now.project.assets[name]} if name in now.project.assets else {}
        if path not in now.files:
            page = self._page(now, path)
            if page is not None:
                now.files |= rendered(
                    page, now.parsed.settings, now.templates, now.project.fonts, now.kinds
                )
        return {path: now.files[path]} if path in now.files else {}

    def _page(self, now: _Now, path: str) -> Page | None:
        """Make the page that has a file, and before it what it is about."""
        folder = path.rpartition("/")[0]
        url = f"/{folder}/" if folder else "/"
        kind = now.kinds.get(url) or _kind_of_neighbour(url, now.kinds)
        if kind is None or (folder == "" and path not in {"index.html", "index.json", "page.md"}):
            return None
        _judge_for(now, folder)
        found = documents.page_at(url, now.inputs)
        return found or next((page for page in kind(now.inputs) if page.url == url), None)

    def _begun(self, project: ProjectFiles, parsed: Parsed) -> _Now:
        answers = answers_in(
            parsed.catalog,
            lambda: program_of(self._past),
            past=self._past,
            texts=project.catalog,
        )
        prepare_all(answers.engine)  # an edit would wait for it
        inputs = _inputs(
            parsed,
            engine=answers.engine,
            survey=answers.survey,
            facts=answers.facts,
            rows=rows_by_model(answers.survey),
        )
        inputs = replace(inputs, records=answers.records)
        kinds = {page.url: kind for kind in page_kinds() for page in kind(inputs)}
        return _Now(
            project,
            parsed,
            inputs,
            environment(project.templates, pictures=bool(project.fonts)),
            kinds,
        )

    def _with_texts(self, now: _Now, project: ProjectFiles, parsed: Parsed) -> _Now:
        """Take other words or templates for the same catalog."""
        before = now.inputs
        inputs = replace(
            _inputs(
                parsed,
                engine=before.engine,
                survey=before.survey,
                facts=before.facts,
                rows=before.rows,
            ),
            records=before.records,
        )
        return _Now(project, parsed, inputs, _templates(now, project), now.kinds, now.behind)

    def _with_catalog(self, now: _Now, project: ProjectFiles, parsed: Parsed) -> _Now:
        """Take other facts; what they move is judged when a page asks for it."""
        before, catalog = now.inputs, parsed.catalog
        folders = changed_folders(now.project.catalog, project.catalog)
        engine = engine_after(before.engine, catalog, folders)

        @cache  # made for the first that has to be judged
        def recall() -> Recall:
            return Recall(engine, project.catalog, self._past)

        earlier = before.catalog.combos
        differ = {id_ for id_, one in catalog.combos.items() if earlier.get(id_) != one}
        only_words = (
            folders == {"combos"}
            and earlier.keys() == catalog.combos.keys()  # one that is gone may have joined others
            and all(_is_machine_of(earlier[id_], catalog.combos[id_]) for id_ in differ)
        )

        # What makes surveys lives on, and may hold neither the catalog nor the drafts of before.
        surveyed, behind = dict(before.survey.combos), now.behind

        def combo(id_: str) -> ComboSurvey:
            one = catalog.combos[id_]
            if only_words and id_ not in behind:
                return replace(surveyed[id_], combo=one)
            found = recall().combo(one)
            if found is None:
                found = survey_combo(engine, one)
                recall().keep_combo(found)
            return found

        def needs(id_: str) -> tuple[GpusNeeded, ...]:
            gpu = catalog.gpus[id_]
            found = recall().needs(gpu)
            if found is None:
                found = gpus_needed(engine, gpu)
                recall().keep_needs(gpu, found)
            return found

        survey = Survey(
            Newest(catalog.combos, surveyed, combo),
            Newest(catalog.gpus, dict(before.survey.needs), needs),
        )
        inputs = _inputs(
            parsed,
            engine=engine,
            survey=survey,
            facts=_facts(before, engine, folders),
            rows=_Rows(survey),
        )
        inputs = replace(inputs, records=before.records)
        moved = differ if folders <= HARDWARE else catalog.combos.keys()
        old = (behind | moved) & catalog.combos.keys()
        return _Now(project, parsed, inputs, _templates(now, project), now.kinds, old)


def _is_machine_of(before: Combo, now: Combo) -> bool:
    """Return whether only the words about a combo are others."""
    words = {name: getattr(now, name) for name in WORDS}
    return replace(before, **words) == now


def _judge_for(now: _Now, folder: str) -> None:
    """Judge what the page of a folder is about; for a page about many, what few combos moved."""
    section, _, rest = folder.partition("/")
    about = rest.partition("/")[0]
    combos, needs = now.inputs.survey.combos, now.inputs.survey.needs
    if section == "gpus" and isinstance(needs, Newest):
        needs.want(about)
    if not isinstance(combos, Newest):
        return
    if section == "combos" and about:
        combos.want(about)
    elif len(now.behind) <= FEW:
        for id_ in sorted(now.behind):
            combos.want(id_)


def _inputs(
    parsed: Parsed,
    *,
    engine: FitEngine,
    survey: Survey,
    facts: Mapping[str, ModelFacts],
    rows: Mapping[str, tuple[ModelOnCombo, ...]],
) -> SiteInputs:
    return SiteInputs(
        parsed.catalog,
        engine,
        survey,
        facts,
        rows,
        parsed.documents,
        parsed.settings,
        history=parsed.history,
        errors=parsed.errors,
        unjudged=parsed.unjudged,
        search_terms=parsed.search_terms,
    )


def _templates(now: _Now, project: ProjectFiles) -> Environment:
    before = now.project
    if project.templates == before.templates and bool(project.fonts) == bool(before.fonts):
        return now.templates
    return environment(project.templates, pictures=bool(project.fonts))


def changed_folders(before: Mapping[str, str], now: Mapping[str, str]) -> frozenset[str]:
    """Name the folders of a catalog in which any file differs.

    >>> sorted(changed_folders({"catalog/gpus/a.yaml": "1"}, {"catalog/models/b.yaml": "1"}))
    ['gpus', 'models']
    """
    paths = before.keys() | now.keys()
    return frozenset(path.split("/")[-2] for path in paths if before.get(path) != now.get(path))


def _facts(
    before: SiteInputs, engine: FitEngine, folders: frozenset[str]
) -> Mapping[str, ModelFacts]:
    if not folders & {"models", "quantizations"}:
        return before.facts
    known, catalog = before.catalog.models, engine.catalog
    return {
        model.id: before.facts[model.id]
        if known.get(model.id) == model
        else model_facts(model, known_bytes=engine.reduced_file_bytes(model))
        for model in catalog.models.values()
    }


def _kind_of_neighbour(url: str, kinds: Mapping[str, Pages]) -> Pages | None:
    """Return who makes the pages of the same section, for a page that was not there before."""
    section = url.split("/")[1]
    return next((kind for other, kind in kinds.items() if other.split("/")[1] == section), None)
