"""The rules that no single record can keep alone: each a function, all of them listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import islice
from typing import TypeAlias, cast

from sitegen.catalog.authored import CatalogRecords, holds_the_same
from sitegen.catalog.checks import (
    architectures,
    claims,
    constants,
    losses,
    measurements,
    memory,
    models,
    numbers,
    prices,
    prose,
    provenance,
    quantizations,
    references,
    releases,
    runtimes,
    scores,
    specifications,
    speeds,
    topology,
)
from sitegen.problems import Problem
from sitegen.values import dataclass

MAX_PER_RULE = 200
"""Problems that one rule reports before it stops: a hint costs time, and nobody reads on."""

Check: TypeAlias = Callable[[CatalogRecords], Iterable[Problem]]
CHECKS: tuple[Check, ...] = (
    references.references_exist,
    references.old_ids_are_free,
    references.orchestrators_orchestrate,
    memory.memory_is_dedicated_or_unified,
    memory.unified_memory_is_described,
    memory.visible_memory_is_installed,
    memory.visible_memory_is_known,
    memory.compute_capability_has_two_parts,
    architectures.architectures_are_listed,
    specifications.records_have_names_of_their_own,
    specifications.bandwidth_is_width_times_rate,
    specifications.figures_are_of_their_segment,
    specifications.cores_fill_the_multiprocessors,
    specifications.rates_are_within_units_times_clock,
    specifications.rates_in_fewer_bits_follow_from_fp16,
    specifications.modules_draw_no_less_than_cards,
    specifications.gpus_draw_no_more_than_their_machine,
    specifications.connectors_are_named_alike,
    topology.nodes_with_several_gpus_have_a_link,
    topology.node_links_stay_inside,
    topology.node_links_are_on_the_gpus,
    topology.links_are_no_faster_than_their_line,
    topology.networks_join_nodes,
    topology.networks_run_between_nodes,
    topology.unified_memory_is_sold,
    topology.names_count_the_gpus,
    topology.combos_have_a_sane_size,
    models.active_experts_exist,
    models.kv_heads_at_most_heads,
    models.checkpoint_ids_are_unique,
    models.repositories_have_an_owner,
    models.repositories_belong_to_one_model,
    models.facts_of_files_name_a_repository,
    models.file_names_say_their_type,
    models.file_size_is_stated_once,
    models.file_sizes_are_plausible,
    models.successors_are_surveyed,
    releases.licences_are_listed,
    releases.family_members_share_a_licence,
    releases.successors_are_newer,
    releases.contexts_hold_a_text,
    releases.promised_context_is_sourced,
    quantizations.gguf_has_a_file_type,
    quantizations.linears_are_given_outside_gguf,
    quantizations.production_means_four_bits_or_native,
    runtimes.only_orchestrators_drive,
    runtimes.profiled_runtimes_have_profiles,
    runtimes.profile_versions_are_in_order,
    runtimes.profiles_stand_on_earlier_ones,
    constants.names_are_words,
    constants.constants_have_one_value,
    constants.constants_name_their_unit,
    constants.intervals_are_in_order,
    numbers.constants_are_within_bounds,
    numbers.numbers_are_within_bounds,
    speeds.speed_runs_have_ids_of_their_own,
    speeds.speed_runs_state_a_figure,
    speeds.aggregates_are_no_less_than_one_stream,
    speeds.depths_are_within_the_model,
    speeds.splits_fit_the_system,
    speeds.percentiles_never_fall,
    speeds.histograms_have_an_edge_more_than_counts,
    speeds.histograms_count_requests,
    measurements.logged_ids_are_unique,
    measurements.logged_checkpoints_exist,
    measurements.logged_quantities_have_figures,
    measurements.logged_pools_hold_a_request,
    measurements.logged_dates_are_real,
    measurements.published_sizes_are_stated_once,
    measurements.logged_hardware_exists,
    measurements.logged_figures_fit_the_gpus,
    provenance.numbers_have_a_source,
    provenance.source_fields_exist,
    provenance.urls_are_safe,
    provenance.dates_are_real,
    prices.price_dates_are_past,
    prices.prices_have_an_address,
    prices.prices_are_within_bounds,
    prices.prices_are_near_the_launch_price,
    prices.prices_are_observed_once,
    prices.prices_name_the_size_that_was_bought,
    prose.prose_states_no_number,
    claims.claims_assert_one_thing,
    claims.claim_ids_are_unique,
    claims.quotations_are_short,
    claims.ranges_are_in_order,
    claims.subjects_are_named,
    claims.figures_are_complete,
    claims.systems_are_whole,
    losses.loss_figures_are_possible,
    losses.losses_have_a_baseline,
    losses.losses_have_a_scale,
    scores.names_are_mapped,
    scores.names_mean_one_model,
    scores.decided_names_exist,
    scores.scores_are_possible,
    scores.dates_of_scores_are_real,
)
"""Every rule. One that is not here does not run: a missing line is seen in review."""


OF_EACH: frozenset[Check] = frozenset(
    {
        memory.memory_is_dedicated_or_unified,
        memory.unified_memory_is_described,
        memory.visible_memory_is_installed,
        memory.compute_capability_has_two_parts,
        architectures.architectures_are_listed,
        specifications.bandwidth_is_width_times_rate,
        specifications.figures_are_of_their_segment,
        specifications.cores_fill_the_multiprocessors,
        specifications.rates_are_within_units_times_clock,
        specifications.rates_in_fewer_bits_follow_from_fp16,
        specifications.connectors_are_named_alike,
        topology.nodes_with_several_gpus_have_a_link,
        topology.links_are_no_faster_than_their_line,
        topology.networks_join_nodes,
        topology.names_count_the_gpus,
        topology.combos_have_a_sane_size,
        models.active_experts_exist,
        models.kv_heads_at_most_heads,
        models.checkpoint_ids_are_unique,
        models.repositories_have_an_owner,
        models.facts_of_files_name_a_repository,
        models.file_size_is_stated_once,
        releases.licences_are_listed,
        releases.contexts_hold_a_text,
        releases.promised_context_is_sourced,
        quantizations.gguf_has_a_file_type,
        quantizations.linears_are_given_outside_gguf,
        runtimes.only_orchestrators_drive,
        runtimes.profiled_runtimes_have_profiles,
        runtimes.profile_versions_are_in_order,
        runtimes.profiles_stand_on_earlier_ones,
        constants.names_are_words,
        constants.constants_have_one_value,
        constants.constants_name_their_unit,
        constants.intervals_are_in_order,
        numbers.constants_are_within_bounds,
        numbers.numbers_are_within_bounds,
        speeds.speed_runs_have_ids_of_their_own,
        speeds.speed_runs_state_a_figure,
        speeds.aggregates_are_no_less_than_one_stream,
        speeds.percentiles_never_fall,
        speeds.histograms_have_an_edge_more_than_counts,
        speeds.histograms_count_requests,
        measurements.logged_quantities_have_figures,
        measurements.logged_dates_are_real,
        measurements.published_sizes_are_stated_once,
        provenance.numbers_have_a_source,
        provenance.source_fields_exist,
        provenance.urls_are_safe,
        provenance.dates_are_real,
        prices.price_dates_are_past,
        prices.prices_have_an_address,
        prices.prices_are_within_bounds,
        prices.prices_are_near_the_launch_price,
        prices.prices_are_observed_once,
        prices.prices_name_the_size_that_was_bought,
        prose.prose_states_no_number,
        claims.claims_assert_one_thing,
        claims.claim_ids_are_unique,
        claims.quotations_are_short,
        claims.ranges_are_in_order,
        claims.subjects_are_named,
        losses.loss_figures_are_possible,
        losses.losses_have_a_baseline,
        scores.dates_of_scores_are_real,
    }
)
"""Rules that look at each record alone: what they say of one is the same whatever stands beside."""


def problems_of_each(records: CatalogRecords) -> list[Problem]:
    """Return what the rules ``OF_EACH`` find in some records of a catalog."""
    return [found for check in CHECKS if check in OF_EACH for found in check(records)]


@dataclass(slots=True)
class Findings:
    """What each rule found last, and the parts of the records that it had looked at."""

    by_rule: dict[Check, tuple[Mapping[str, object], list[Problem]]] = field(default_factory=dict)

    def of(self, check: Check, records: CatalogRecords) -> list[Problem]:
        """Apply a rule, unless all that it looked at last time is there unchanged."""
        read, found = self.by_rule.get(check, ({}, []))
        if not read or not all(
            holds_the_same(value, getattr(records, name)) for name, value in read.items()
        ):
            looked = _Looking(records)
            found = list(islice(check(cast("CatalogRecords", looked)), MAX_PER_RULE + 1))
            self.by_rule[check] = looked.at, found
        return found


class _Looking:
    """Records that note which parts of them are looked at."""

    def __init__(self, records: CatalogRecords) -> None:
        self.at: dict[str, object] = {}
        self._records = records

    def __getattr__(self, name: str) -> object:
        self.at[name] = value = getattr(self._records, name)
        return value


def problems_of(
    records: CatalogRecords,
    fresh: CatalogRecords | None = None,
    last: Findings | None = None,
) -> Iterator[Problem]:
    """Yield what every rule finds.

    Args:
        records: All of a catalog.
        fresh: Those of them in which the rules ``OF_EACH`` have not found nothing before.
        last: What the other rules found before; takes what they find now.
    """
    last = last or Findings()
    for check in CHECKS:
        if fresh is not None and check in OF_EACH:
            found = list(islice(check(fresh), MAX_PER_RULE + 1))
        else:
            found = last.of(check, records)
        yield from found[:MAX_PER_RULE]
        if len(found) > MAX_PER_RULE:
            message = f"more problems than {MAX_PER_RULE} of the rule {check.__name__}"
            hint = "fix the ones above first"
            yield replace(found[-1], code="more-problems", message=message, hint=hint)
