"""Combo-level answers: for each goal the plan, what was compared, and what comes next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.answers import Entry, is_paged, parameters_of, request_of
from sitegen.engine.assess import SHOWN_CONTEXTS, assembled, assess
from sitegen.engine.assessment import DEFAULTS, Assessment, FitTier, Goal
from sitegen.engine.evaluate import Evaluation
from sitegen.engine.findings import Answer, AnswerGoal, Scope, Standing
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.ledger import exact
from sitegen.engine.planner import Candidate, Question, comfortable_plans
from sitegen.values import dataclass

CONTEXTS = dict(zip((AnswerGoal.USERS_8K, AnswerGoal.USERS_32K), SHOWN_CONTEXTS, strict=True))
Entries = Mapping[str, tuple[Entry, ...]]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A comfortable plan of a model's smallest production checkpoint under one runtime."""

    entry: Entry
    candidate: Candidate

    @property
    def model_id(self) -> str:
        return self.entry.subject.model.id

    @property
    def tokens_per_s(self) -> float:
        return self.candidate.evaluation.single_tokens_per_s.mid

    @property
    def cost(self) -> tuple[float, int, str, str, tuple[int, int]]:
        """What decides between equals: speed, fewer GPUs, then the name."""
        found, subject = self.candidate.evaluation, self.entry.subject
        gpus = len(found.devices.ranks)
        return (-self.tokens_per_s, gpus, self.model_id, subject.runtime.id, found.split)


def combo_answers(
    engine: FitEngine,
    combo: Combo,
    verdicts: Sequence[Entry],
    entries: Entries,
    *,
    largest: Assessment | None,
    serving: Assessment | None,
) -> tuple[Answer, ...]:
    """Answer each goal: the largest model, the fastest for one user, the most users.

    Speed and users are compared among plans that fit comfortably: for the model of the combo's
    own answer, and for every model of the size class, which has at least ``size-class-share`` of
    the largest model's parameters. Users are counted on a runtime that batches, and in replicas
    inside a machine, where one fits. Where both scopes give the same plan, the size class alone
    is listed.
    """
    if largest is None:
        return ()
    compared = _Compared(engine, combo, verdicts, entries)
    found = [compared.largest(largest)]
    if largest.tier is FitTier.COMFORTABLE:
        found += compared.pair(AnswerGoal.ONE_STREAM, Scope.LARGEST, largest)
    for goal in CONTEXTS:
        found += compared.pair(goal, Scope.SERVING, serving)
    return tuple(found)


class _Compared:
    """The comfortable plans of one combo, listed once and compared for each goal."""

    def __init__(
        self, engine: FitEngine, combo: Combo, verdicts: Sequence[Entry], entries: Entries
    ) -> None:
        self._engine, self._combo, self._entries = engine, combo, entries
        self._by_size = sorted(_best_tier(verdicts), key=lambda e: -parameters_of(engine, e))
        most = max((parameters_of(engine, e) for e in self._by_size), default=0)
        self._least = int(engine.assumptions["size-class-share"].value.mid * most)
        self._class = tuple(
            e.subject.model.id for e in self._by_size if parameters_of(engine, e) >= self._least
        )
        self._plans: dict[str, tuple[_Plan, ...]] = {}

    def largest(self, answer: Assessment) -> Answer:
        """Return the combo's largest single model beside the next largest that fits as well."""
        sizes = {e.subject.model.id: parameters_of(self._engine, e) for e in self._by_size}
        others = [e for e in self._by_size if e.subject.model.id != answer.model.id]
        second = None
        if others:
            request = request_of(self._engine, others[0], self._combo)
            shown = assess(self._engine, replace(request, goal=Goal.LARGEST_MODEL))
            second = Standing(shown, exact(sizes[shown.model.id]))
        return Answer(
            AnswerGoal.PARAMETERS,
            Scope.EVERY_MODEL,
            Standing(answer, exact(sizes[answer.model.id])),
            second,
            plans=0,
            models=len(self._by_size),
        )

    def pair(self, goal: AnswerGoal, scope: Scope, given: Assessment | None) -> Iterator[Answer]:
        """Yield the answer for a given model, then for the size class, unless they are one."""
        of_class = self._best(goal, self._class, by_model=True)
        if given is not None:
            alone = self._best(goal, [given.model.id], by_model=False)
            if alone is not None and not _same(alone, of_class):
                yield self._answer(goal, scope, alone)
        if of_class is not None:
            yield self._answer(goal, Scope.SIZE_CLASS, of_class)

    def _answer(self, goal: AnswerGoal, scope: Scope, found: _Ranked) -> Answer:
        second = found.second
        return Answer(
            goal,
            scope,
            self._standing(goal, found.first),
            self._standing(goal, second) if second is not None else None,
            found.plans,
            found.models,
            self._least if scope is Scope.SIZE_CLASS else 0,
        )

    def _best(self, goal: AnswerGoal, models: Iterable[str], *, by_model: bool) -> _Ranked | None:
        plans = [plan for id_ in models for plan in self._giving(goal, id_)]
        ordered = sorted(plans, key=lambda plan: (*self._order(goal, plan), plan.cost))
        if not ordered:
            return None
        first = ordered[0]
        others = (p for p in ordered[1:] if not by_model or p.model_id != first.model_id)
        number = len({plan.model_id for plan in ordered})
        return _Ranked(first, next(others, None), len(ordered), number)

    def _giving(self, goal: AnswerGoal, model_id: str) -> list[_Plan]:
        """List the plans of a model that give anything of what the goal asks for.

        Many users are served inside a machine where a replica fits there.
        """
        found = [plan for plan in self._of(model_id) if self._amount(goal, plan) > 0]
        inside = [plan for plan in found if plan.candidate.evaluation.devices.nodes == 1]
        return inside if inside and goal in CONTEXTS else found

    def _of(self, model_id: str) -> tuple[_Plan, ...]:
        if model_id not in self._plans:
            self._plans[model_id] = tuple(self._comfortable(self._entries[model_id]))
        return self._plans[model_id]

    def _comfortable(self, entries: tuple[Entry, ...]) -> Iterator[_Plan]:
        sets = self._engine.sets(self._combo)
        for entry in smallest_comfortable(entries):
            request = request_of(self._engine, entry, self._combo)
            prepared = self._engine.prepare(entry.subject)
            question = Question(prepared, sets, request.workload, DEFAULTS, request.goal)
            for candidate in comfortable_plans(question):
                yield _Plan(entry, candidate)

    def _order(self, goal: AnswerGoal, plan: _Plan) -> tuple[bool, float]:
        """Order plans: for many users a runtime that batches comes first, as in serving."""
        batches = goal in CONTEXTS and is_paged(plan.entry)
        return (not batches, -self._amount(goal, plan))

    def _amount(self, goal: AnswerGoal, plan: _Plan) -> float:
        if goal is AnswerGoal.ONE_STREAM:
            return plan.tokens_per_s
        found = plan.candidate.evaluation
        longest = plan.entry.subject.model.context_tokens
        held = self._engine.sequences(found, lambda: _sequences(found, longest))
        return held.get(CONTEXTS[goal], 0) * plan.candidate.copies

    def _standing(self, goal: AnswerGoal, plan: _Plan) -> Standing:
        request = request_of(self._engine, plan.entry, self._combo)
        shown = assembled(self._engine, request, plan.candidate)
        if goal is AnswerGoal.ONE_STREAM and shown.speed is not None:
            return Standing(shown, shown.speed.single_tokens_per_s)
        return Standing(shown, exact(self._amount(goal, plan)))


@dataclass(frozen=True, slots=True)
class _Ranked:
    first: _Plan
    second: _Plan | None
    plans: int
    models: int


def _best_tier(verdicts: Sequence[Entry]) -> list[Entry]:
    """Return the models that fit comfortably, or without any those that are borderline."""
    comfortable = [e for e in verdicts if e.tier is FitTier.COMFORTABLE]
    return comfortable or [e for e in verdicts if e.tier is FitTier.BORDERLINE]


def _same(one: _Ranked, other: _Ranked | None) -> bool:
    return other is not None and one.first.candidate.evaluation is other.first.candidate.evaluation


def smallest_comfortable(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return, for each runtime, the smallest production checkpoint that fits comfortably."""
    found: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda e: e.weights_bytes):
        chosen = entry.chosen
        comfortable = chosen is not None and chosen.evaluation.tier is FitTier.COMFORTABLE
        if comfortable and entry.subject.checkpoint.quantization.production:
            found.setdefault(entry.subject.runtime.id, entry)
    return tuple(found.values())


def _sequences(found: Evaluation, longest: int) -> Mapping[int, int]:
    contexts = tuple(tokens for tokens in SHOWN_CONTEXTS if tokens <= longest)
    return found.replica.limits(0, contexts).sequences_at
