"""Which models are best for a use: a tier of what the evidence cannot tell apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import CheckpointLosses, FitEngine
from sitegen.quality.values import Rating, Ratings, Use
from sitegen.survey.best_for_use import Candidates, answer_for, reads_along, reads_document
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.rated_tier import best_assured_first, served_first
from sitegen.survey.results import ComboSurvey
from tests.fit.questions import combo
from tests.survey.small_surveys import rated, small_catalog

MODELS = ("llama8", "qwen3_30", "llama70")
WHERE = combo(*["h100-sxm"] * 4, link="nvlink-4")
SLOWEST = "answer-speed-tokens-per-s"
NO_LOSSES = CheckpointLosses({}, {}, ())


def survey_of(
    ratings: Ratings, losses: CheckpointLosses = NO_LOSSES, found: Catalog | None = None
) -> ComboSurvey:
    known = replace(found or small_catalog(*MODELS), combos={WHERE.id: WHERE})
    return survey_combo(FitEngine(known, losses=losses, ratings=ratings), WHERE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A rating with the speed that decides between equals."""

    name: str
    points: float
    half_width: float
    speed: float
    general: float | None = None


def first_of(*tier: Entry) -> str:
    return best_assured_first(tier, 3, lambda one: (-one.speed,))[0].name


def tier_of(survey: ComboSurvey, use: Use = Use.OVERALL) -> list[str]:
    (answer,) = [one for one in survey.uses if one.use is use]
    return [one.assessment.model.id for one in answer.picks]


def test_models_that_the_evidence_cannot_separate_are_one_tier_with_the_fastest_first() -> None:
    """Both are known to three points: a difference below the root of 18 says nothing."""
    survey = survey_of(rated({"qwen3_30": 61.5, "llama70": 64.0, "llama8": 30.0}))
    assert tier_of(survey) == ["qwen3_30", "llama70"]
    assert survey.lead is not None
    assert survey.lead.model.id == "qwen3_30"
    apart = survey_of(rated({"qwen3_30": 60.0, "llama70": 64.5, "llama8": 30.0}))
    assert tier_of(apart) == ["llama70"]


def test_what_is_assured_three_points_less_leads_no_tier_however_fast_it_is() -> None:
    """The ends are 57 and 61: nobody knows that the fast one is as good."""
    survey = survey_of(rated({"qwen3_30": 60.0, "llama70": 64.0}))
    assert tier_of(survey) == ["llama70", "qwen3_30"]


def test_what_is_less_well_known_is_no_less_for_that_but_for_its_middle() -> None:
    """Low ends of 55 and 54, but middles of 63 and 58: on the best evidence it is worse."""
    surest, known = Entry("surest", 63, 8, 27), Entry("known", 58, 4, 63)
    assert first_of(surest, known) == "surest"
    assert first_of(surest, replace(known, points=60.5, half_width=6)) == "known"


def test_what_one_board_cannot_tell_apart_is_told_apart_by_all_uses() -> None:
    small, large = Entry("small", 58, 5, 66, general=54), Entry("large", 58.5, 5, 39, general=59)
    assert first_of(small, large) == "large"
    assert first_of(replace(small, general=56.5), large) == "small"
    assert first_of(replace(small, general=None), large) == "small", "several boards know it"


@pytest.mark.parametrize(
    ("served", "leads"),
    [
        (Entry("served", 61.5, 4, 127), "served"),
        (Entry("served", 60.5, 4, 127), "single"),  # more than three points below
        (Entry("served", 61.5, 4, 60), "single"),  # not faster
        (Entry("served", 62, 4, 127, general=62), "single"),  # one board knows it alone
    ],
)
def test_what_serves_many_leads_a_tier_on_servers_where_it_is_as_good_and_faster(
    served: Entry, leads: str
) -> None:
    tier = [Entry("single", 64, 3, 69), Entry("small", 58, 5, 300), served]
    found = served_first(tier, 3, lambda one: one.name != "single", lambda one: one.speed)
    assert found[0].name == leads
    assert sorted(one.name for one in found) == ["served", "single", "small"]


@pytest.mark.parametrize(("gpu", "leads"), [("h200-sxm", "qwen3_30"), ("rtx-5090", "llama70")])
def test_on_servers_alone_what_serves_many_is_preferred(gpu: str, leads: str) -> None:
    """The low ends are 56.5 and 60: by the ratings alone, the slow one leads."""
    place = combo(*[gpu] * 4, link="pcie-4-x16")
    known = replace(small_catalog(*MODELS), combos={place.id: place})
    ratings = {
        "qwen3_30": Rating(Interval(56.5, 60.5, 64.5), is_rated=True),
        "llama70": Rating(Interval(60, 63, 66), is_rated=True),
    }
    engine = FitEngine(known, ratings=Ratings({Use.OVERALL: ratings}))
    picks = [row.pick for row in survey_combo(engine, place).rows]
    by_hand = [
        replace(one, runtime=known.runtimes["llama-cpp"]) if one.model.id == "llama70" else one
        for one in picks
    ]
    answer = answer_for(Use.OVERALL, Candidates.of(engine, by_hand))
    assert answer is not None
    assert answer.picks[0].assessment.model.id == leads


def test_the_next_tier_follows_and_unrated_models_are_counted_but_never_best() -> None:
    (answer,) = survey_of(rated({"qwen3_30": 60.0, "llama8": 30.0})).uses
    assert [one.assessment.model.id for one in answer.picks] == ["qwen3_30"]
    assert [one.assessment.model.id for one in answer.following] == ["llama8"]
    assert (answer.rated, answer.unrated) == (2, 1)


def test_what_is_not_rated_for_a_use_does_not_answer_it() -> None:
    general, coding = rated({"llama8": 40.0}), rated({"llama70": 70.0}, Use.CODING)
    survey = survey_of(Ratings({**general.by_use, **coding.by_use}))
    assert tier_of(survey) == ["llama8"]
    assert tier_of(survey, Use.CODING) == ["llama70"]
    assert {one.use for one in survey.uses} == {Use.OVERALL, Use.CODING}


def test_thin_evidence_is_no_rating() -> None:
    thin = Rating(Interval(50, 90, 130), is_rated=False)
    known = rated({"llama8": 40.0}).by_use[Use.OVERALL]
    survey = survey_of(Ratings({Use.OVERALL: {**known, "llama70": thin}}))
    assert tier_of(survey) == ["llama8"]


def test_a_use_has_no_answer_where_one_board_says_that_another_model_is_better() -> None:
    """Llama 3.1 8B led long context, beside models that one board puts 27 points higher."""

    def answered_with(points: float, use: Use) -> list[Use]:
        thin = Rating(Interval(points - 4, points, points + 4), is_rated=False)
        ratings = rated({"llama8": 40.0}, use).by_use[use]
        return [one.use for one in survey_of(Ratings({use: {**ratings, "llama70": thin}})).uses]

    assert answered_with(44.9, Use.CODING) == [Use.CODING]  # 3² + 4² = 5²
    assert answered_with(45.1, Use.CODING) == []
    assert answered_with(90.0, Use.OVERALL) == [Use.OVERALL]


def test_long_context_is_answered_by_what_holds_a_long_document() -> None:
    ratings = rated({"llama8": 40.0, "qwen3_30": 60.0}, Use.LONG_CONTEXT)
    assert tier_of(survey_of(ratings), Use.LONG_CONTEXT) == ["qwen3_30"]
    known = small_catalog(*MODELS)
    short = replace(known.models["qwen3_30"], context_tokens=99_999)
    found = replace(known, models={**known.models, short.id: short})
    assert tier_of(survey_of(ratings, found=found), Use.LONG_CONTEXT) == ["llama8"]


def test_long_context_is_answered_by_what_can_be_read_along_with_a_document_in_the_context() -> (
    None
):
    """A Strix Halo answered with a model that writes 10 tok/s at 8K, and 8 after 100,000 tokens."""
    ratings, found = (
        rated({"llama8": 40.0, "qwen3_30": 60.0}, Use.LONG_CONTEXT),
        small_catalog(*MODELS),
    )
    whole = survey_of(ratings, found=found)
    (pick,) = [row.pick for row in whole.rows if row.pick.model.id == "qwen3_30"]
    assert pick.speed is not None
    engine = FitEngine(found, losses=NO_LOSSES, ratings=ratings)
    assert reads_document(engine, pick)
    least = pick.speed.single_tokens_per_s.mid * 0.99
    known = dict(found.assumptions)
    known[SLOWEST] = replace(known[SLOWEST], value=Interval(least, least, least))
    slower = FitEngine(replace(found, assumptions=known), losses=NO_LOSSES, ratings=ratings)
    assert reads_along(slower, pick)
    assert not reads_document(slower, pick)
    assert not Candidates.of(slower, [pick]).rated_for(Use.LONG_CONTEXT)


def test_a_rating_loses_what_the_picked_checkpoint_loses_and_is_less_sure() -> None:
    """Only a checkpoint of 4 bits is there; it loses 6 points, known to 4 either way."""
    lost = CheckpointLosses({}, {"awq-4bit-g128": Interval(2.0, 6.0, 10.0)}, (1.0,))
    found = small_catalog(*MODELS)
    (kept,) = [c for c in found.models["llama70"].checkpoints if c.id == "awq-4bit-g128"]
    quantized = replace(found.models["llama70"], checkpoints=(kept,))
    models = {**found.models, "llama70": quantized}
    ratings = rated({"llama70": 64.0, "qwen3_30": 60.0})
    survey = survey_of(ratings, lost, replace(found, models=models))
    (answer,) = survey.uses
    picks = {one.assessment.model.id: one for one in (*answer.picks, *answer.following)}
    assert picks["llama70"].points == pytest.approx(58.0)
    assert picks["llama70"].half_width == pytest.approx(5.0)
    assert picks["qwen3_30"].points == pytest.approx(60.0)


@pytest.mark.parametrize(
    "changed",
    [{"base": True}, {"context_tokens": 8_192}],
    ids=["base", "short"],
)
def test_base_models_and_short_contexts_lead_nothing_and_stay_the_largest(
    changed: dict[str, object],
) -> None:
    found = small_catalog(*MODELS)
    models = {**found.models, "llama70": replace(found.models["llama70"], **changed)}  # type: ignore[arg-type]
    ratings = rated({"llama70": 90.0, "qwen3_30": 60.0})
    survey = survey_of(ratings, found=replace(found, models=models))
    assert tier_of(survey) == ["qwen3_30"]
    assert survey.lead is not None
    assert survey.lead.model.id == "qwen3_30"
    assert survey.largest_single_model is not None
    assert survey.largest_single_model.model.id == "llama70"


def test_a_superseded_model_is_no_candidate() -> None:
    found = small_catalog(*MODELS)
    ratings = rated({"llama70": 90.0, "qwen3_30": 60.0})
    engine = FitEngine(replace(found, combos={WHERE.id: WHERE}), ratings=ratings)
    picks = [row.pick for row in survey_combo(engine, WHERE).rows]
    superseded = [
        replace(one, model=replace(one.model, superseded_by="qwen3_30"))
        if one.model.id == "llama70"
        else one
        for one in picks
    ]
    for given, best in ((picks, "llama70"), (superseded, "qwen3_30")):
        lead = Candidates.of(engine, given).lead()
        assert lead is not None
        assert lead.model.id == best


def test_a_model_with_too_little_room_leads_only_where_no_other_has_more() -> None:
    """An RTX 2080 Ti led general use with Qwen3 14B, of which it holds 9,472 tokens."""
    found = small_catalog(*MODELS)
    ratings = rated({"llama70": 90.0, "qwen3_30": 60.0})
    engine = FitEngine(replace(found, combos={WHERE.id: WHERE}), ratings=ratings)
    picks = [row.pick for row in survey_combo(engine, WHERE).rows]
    for short, best in (({"llama70"}, "qwen3_30"), ({*MODELS}, "llama70")):
        given = [tight(one) if one.model.id in short else one for one in picks]
        lead = Candidates.of(engine, given).lead()
        assert lead is not None
        assert lead.model.id == best


def tight(pick: Assessment) -> Assessment:
    """Leave a pick room for 9,472 tokens."""
    assert pick.best is not None
    _, plan = pick.best.longest_context
    return replace(pick, best=replace(pick.best, longest_context=(9_472, plan)))


def test_a_model_too_slow_to_read_along_leads_nothing() -> None:
    found = small_catalog(*MODELS)
    known = dict(found.assumptions)
    ratings = rated({"llama70": 90.0, "qwen3_30": 60.0})
    whole = survey_of(ratings)
    speeds = {
        row.model.id: row.pick.speed.single_tokens_per_s.mid for row in whole.rows if row.pick.speed
    }
    assert speeds["llama70"] < speeds["qwen3_30"]
    between = (speeds["llama70"] + speeds["qwen3_30"]) / 2
    known[SLOWEST] = replace(known[SLOWEST], value=Interval(between, between, between))
    survey = survey_of(ratings, found=replace(found, assumptions=known))
    assert tier_of(whole) == ["llama70"]
    assert tier_of(survey) == ["qwen3_30"]
