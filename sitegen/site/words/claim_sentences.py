"""One sentence per finding about a claim, one label per line of its arithmetic.

An argument's unit is its name's: see ``words.claims``.
"""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.site.words.tiers import COMFORTABLY

FINDINGS: Mapping[str, str] = {
    "PARAMETERS_AGREE": "The model's tensors contain {parameters} parameters.",
    "PARAMETERS_DIFFER": "The model's tensors contain {parameters} parameters.",
    "ACTIVE_AGREE": "Each token uses {parameters} parameters.",
    "ACTIVE_DIFFER": "Each token uses {parameters} parameters.",
    "WEIGHTS_AGREE": "The weights take up {weights_bytes}.",
    "WEIGHTS_DIFFER": "The weights take up {weights_bytes}, not {claimed_bytes}.",
    "BELOW_FOUR_BITS": (
        "At 4 bits per parameter, the weights take up {least_bytes}, even without scales."
    ),
    "MEMORY_BELOW_WEIGHTS": (
        "The weights alone take up {weights_bytes}, more than {claimed_bytes}."
    ),
    "MEMORY_ABOVE_NEED": "With headroom, the weights and the KV cache need at most {most_bytes}.",
    "MEMORY_AGREES": (
        "The weights alone take up {weights_bytes}. The figure is between that size and the memory "
        "that a comfortable fit with {context_tokens} needs."
    ),
    "CACHE_AGREES": "The keys and values of all layers take up {cache_bytes}.",
    "CACHE_DIFFERS": (
        "The keys and values of all layers take up {cache_bytes}, not {claimed_bytes}."
    ),
    "SUM_OF_MEMORY_AGREES": "That is the installed memory. One model cannot use all of it.",
    "SUM_OF_MEMORY_DIFFERS": "The installed memory is {installed_bytes}.",
    "ABOVE_INSTALLED": "The {gpus} GPUs of a replica have {installed_bytes} of installed memory.",
    "EFFECTIVE_AGREES": (
        "One replica can use {least_bytes} to {most_bytes}, depending on the runtime."
    ),
    "EFFECTIVE_DIFFERS": (
        "One replica can use {least_bytes} to {most_bytes}, depending on the runtime."
    ),
    "MEMORY_VARIES": "The {gpu} is sold with several memory sizes.",
    "TOO_FEW_GPUS": (
        "The weights take up {weights_bytes}, which needs {needed} × {gpu}, not {available}."
    ),
    "ENOUGH_GPUS": "The weights take up {weights_bytes} of the {installed_bytes} installed.",
    "FITS_AFTER_ALL": (
        "The model fits: it takes {low} to {high} of the fullest GPU's usable memory with "
        "{runtime}."
    ),
    "MEMORY_EXCEEDED": (
        "The model needs at least {need_bytes}, but programs see only {visible_bytes}."
    ),
    "WEIGHTS_ALONE_FIT": (
        "The weights take up {need_bytes} of the {visible_bytes} visible. For this format, we do "
        "not compute whether the cache and buffers fit too."
    ),
    "NO_PROFILE": "No assessed runtime loads {quantization}.",
    "NOT_PRACTICAL": (
        "The model needs at least {low} of the fullest GPU's usable memory with {runtime}."
    ),
    "COMFORTABLE": (
        f"The model fits {COMFORTABLY}: it takes {{low}} "
        f"to {{high}} of the fullest GPU's usable memory with {{runtime}}."
    ),
    "BORDERLINE": (
        "The fit is borderline: the model takes {low} to {high} of the fullest GPU's usable memory."
    ),
    "TOO_CLOSE": (
        "Too close to call: {low} to {high} of the fullest GPU's usable memory with {runtime}; the "
        "middle estimate is {utilization}."
    ),
    "TENSOR_ACROSS_NODES": (
        "The numbers agree, but a tensor-parallel group of {tp} GPUs spans several machines, and "
        "the page does not say so."
    ),
    "FLAGS_AGREE": "The plan needs {needed} of {available} GPUs, and the model divides evenly.",
    "SAYS_TOO_LITTLE": "We cannot check this claim without {missing}.",
    "SERVES_NONE": "The model does not fit, so it cannot serve anybody.",
    "USERS_WITHOUT_CONTEXT": (
        "The page states no context. {users} concurrent users can have {each_tokens} each; with "
        "{context_tokens} each, there is room for {users_then} users."
    ),
    "USERS_FIT": "{users} concurrent users can have {each_tokens} each.",
    "USERS_DO_NOT_FIT": (
        "{users} concurrent users can have {each_tokens} each, not {context_tokens}."
    ),
    "AIDED": "The run uses speculative decoding or a cached prompt, which we do not check.",
    "POSSIBLE_AT_ONE_PRECISION": (
        "The engine expects {speed_low} to {speed_high} at this precision. At other precisions it "
        "expects other speeds, and the page does not state {missing}."
    ),
    "HARDWARE_MISSING": (
        "This speed needs {bytes_per_s} of memory bandwidth, but the page names no hardware."
    ),
    "RAM_FAST_ENOUGH": (
        "This speed needs {bytes_per_s} in each machine. Memory of this kind reaches at most "
        "{most_bytes_per_s}."
    ),
    "RAM_DIFFERS": (
        "This speed needs {bytes_per_s} in each machine. Memory of this kind reaches at most "
        "{most_bytes_per_s}."
    ),
    "ABOVE_RAM_BOUND": (
        "Part of the model is in RAM: at {ram_bytes_per_s}, the speed cannot exceed {bound}."
    ),
    "ABOVE_BANDWIDTH": "Even at peak memory bandwidth, the speed cannot exceed {bound}.",
    "POSSIBLE_UNESTIMATED": (
        "The figure is below the physical bound, but the engine has no estimate for this plan."
    ),
    "SPEED_AGREES": "The engine expects {speed_low} to {speed_high}.",
    "SPEED_OUTSIDE": "The engine expects {speed_low} to {speed_high}.",
    "ABOVE_STEP_BOUND": "With {streams} users, the speed cannot exceed {bound}.",
    "ABOVE_SPREAD_BOUND": (
        "With {streams} different requests, the speed cannot exceed {bound}. A higher speed would "
        "need requests that choose the same experts."
    ),
    "BELOW_STEP_BOUND": (
        "The figure is below the {bound} that memory bandwidth allows for {streams} users, but the "
        "engine has no estimate for so many."
    ),
    "ABOVE_PEAK_RATE": "Even at the peak rate of the GPUs, the speed cannot exceed {bound}.",
    "PROMPT_MISSING": (
        "The engine expects the GPUs to read {least_tokens} to {most_tokens} in {seconds}, "
        "depending on precision and runtime. The page does not state the length of the prompt."
    ),
    "PROMPT_READ": (
        "The engine expects the GPUs to read {least_tokens} to {most_tokens} in {seconds}."
    ),
    "PROMPT_TOO_LONG": "The GPUs can read at most {longest_tokens} in {seconds}.",
    "PROMPT_UNESTIMATED": "The GPUs can read at most {longest_tokens} in {seconds}.",
    "RATIO_AGREES": "The engine's ratio is {ratio_low} to {ratio_high}.",
    "RATIO_DIFFERS": "The engine's ratio is {ratio_low} to {ratio_high}.",
    "LINK_RATE_AGREES": "The line rate is {nominal_bytes_per_s} in one direction.",
    "LINK_RATE_DIFFERS": "The line rate is {nominal_bytes_per_s} in one direction.",
    "BOTH_DIRECTIONS": (
        "The figure counts both directions: the line rate is {nominal_bytes_per_s} in each."
    ),
    "ABOVE_LINE_RATE": (
        "The fastest link of this kind has {nominal_bytes_per_s} in each direction. The claim "
        "exceeds the sum of both directions."
    ),
    "LATENCY_AGREES": (
        "An empty (zero-byte) all-reduce over this link takes {least_seconds} to {most_seconds}."
    ),
    "LATENCY_BELOW_LINK": (
        "The link itself may have a lower latency, but tensor parallelism waits for all-reduces, "
        "and even an empty (zero-byte) all-reduce takes at least {least_seconds}."
    ),
    "LATENCY_ABOVE_LINK": (
        "An empty (zero-byte) all-reduce over this link takes at most {most_seconds}."
    ),
    "LINK_ON_GPU": "The catalog records {kind} on the {gpu}.",
    "LINK_NOT_ON_GPU": "The {gpu} has no {kind}.",
    "LINK_ENOUGH": "The link takes {share} of the time per token and {seconds} per prompt.",
    "LINK_NOT_ENOUGH": "The link takes {share} of the time per token and {seconds} per prompt.",
    "TENSOR_OVER_SOCKETS": (
        "The link takes {share} of the time per token and {seconds} per prompt. We do not "
        "assess plans with tensor parallelism over {link}."
    ),
    "NEVER_BREAKS_EVEN": (
        "The hardware never pays for itself: running it costs {running_usd} a month and saves "
        "{replaced_usd}."
    ),
    "BREAK_EVEN_AGREES": "By the page's own figures, the hardware pays for itself in {months}.",
    "BREAK_EVEN_DIFFERS": "By the page's own figures, the hardware pays for itself in {months}.",
    "POWER_AGREES": "At full power all month, the electricity costs {least_usd} to {most_usd}.",
    "POWER_DIFFERS": "At full power all month, the electricity costs {least_usd} to {most_usd}.",
    "RENT_AGREES": (
        "The price of the hardware would pay for {least_hours} to {most_hours} of rental."
    ),
    "RENT_DIFFERS": (
        "The price of the hardware would pay for {least_hours} to {most_hours} of rental."
    ),
    "USE_MISSING": (
        "The claim amounts to {month_tokens} a month, and the page does not say how many of them "
        "are used."
    ),
    "USE_POSSIBLE": (
        "The claim amounts to {month_tokens} a month. Running without a pause, the hardware can "
        "generate up to {most_tokens}."
    ),
    "USE_ABOVE_SERVED": (
        "The claim amounts to {month_tokens} a month, but the hardware generates at most "
        "{most_tokens}, even without a pause."
    ),
    "API_COST_AGREES": "Tokens times price comes to {usd} a month.",
    "API_COST_DIFFERS": "Tokens times price comes to {usd} a month.",
    "PRICE_AGREES": "Published prices for {item} are {least_usd} to {most_usd}.",
    "PRICE_DIFFERS": "Published prices for {item} are {least_usd} to {most_usd}.",
    "FACTOR_AGREES": "Published figures for {item} are {least_ratio} to {most_ratio}.",
    "FACTOR_DIFFERS": "Published figures for {item} are {least_ratio} to {most_ratio}.",
    "RATE_AGREES": "Published figures for {item} are {least_bytes_per_s} to {most_bytes_per_s}.",
    "RATE_DIFFERS": "Published figures for {item} are {least_bytes_per_s} to {most_bytes_per_s}.",
    "REQUESTS_AGREES": "Published figures for {item} are {least_per_s} to {most_per_s} a second.",
    "REQUESTS_DIFFERS": (
        "Published figures for {item} are {least_per_s} to {most_per_s} a second."
    ),
    "SO_MANY_ARE_COMFORTABLE": f"At least {{found}} models in our catalog fit {COMFORTABLY}.",
    "FEWER_ARE_COMFORTABLE": f"Only {{found}} models in our catalog fit {COMFORTABLY}.",
    "MORE_THAN_ALL": "A model that needs more than 100 % of the memory does not fit.",
    "RULE_AGREES": "Our rule gives the same verdict.",
    "RULE_DIFFERS": "Our rule calls it {tier}.",
    "COUNT_AGREES": "The list has {listed} entries.",
    "COUNT_DIFFERS": "The list has {listed} entries.",
    "SUM_AGREES": "The result is {exact}.",
    "SUM_DIFFERS": "The result is {exact}.",
}
"""Sentences for the engine's findings by code; those of refused plans are in ``sentences``."""

WITHOUT_EMBEDDING = (
    "Even without the token embedding, which may stay in system RAM, the weights take up "
    "{need_bytes}, but programs see only {visible_bytes}."
)
"""What takes the place of ``MEMORY_EXCEEDED`` where the least is below the file's own size."""

SAID = "the page says"
"""Name of a line that repeats the claim."""

STEPS: Mapping[str, str] = {
    "needed": "memory needed", "visible": "memory visible to programs", "visible-each": (
        "visible on each GPU"
    ),
    "gpus": "GPUs", "ram": "system RAM", "missing": "memory missing",
    "parameters": "parameters",
    "active": "active parameters", "bits": "average bits per parameter",
    "weights": "weights", "weights-each": "weights on each GPU", "claimed-size": SAID,
    "cache": "KV cache", "with-headroom": "weights and cache with headroom",
    "context": "tokens in the cache", "installed": "memory installed",
    "installed-each": "installed on each GPU",
    "fillable": "usable by one replica", "gpus-needed": "GPUs needed",
    "gpus-there": "GPUs available",
    "budget": "memory that the runtime may use", "utilization": (
        "share of the fullest GPU's usable memory"
    ),
    "tensor": "tensor parallel size", "pipeline": "pipeline parallel size", "replicas": "replicas",
    "pool": "tokens of KV cache that fit", "users": "users", "tokens-each": "tokens for each user",
    "read-gpus": "bytes read from GPUs per token", "rate-gpus": "peak bandwidth of GPUs",
    "read-ram": "bytes read from RAM per token", "rate-ram": "bandwidth of RAM",
    "least-time": "shortest time per token", "bound": "upper bound", "claimed-speed": SAID,
    "ram-rate-needed": "RAM bandwidth needed", "read-step": "bytes read per step",
    "streams": "concurrent users", "bound-memory": "upper bound by memory",
    "bound-compute": "upper bound by arithmetic",
    "active-parameters": "active parameters per token", "peak-rate": "peak rate of the GPUs",
    "estimate": "the engine's estimate", "read-token": "bytes read per token",
    "rate-needed": "bandwidth needed", "claimed-time": SAID,
    "longest-prompt": "longest prompt in that time", "first": "first value",
    "second": "second value", "ratio": "ratio", "claimed-ratio": SAID,
    "line-rate": "line rate, one direction",
    "bus-rate": "bandwidth of a collective", "claimed-rate": SAID,
    "collective-latency": "latency of an empty all-reduce", "links-of-gpu": "links in the catalog",
    "token-time": "time per token", "link-time": "time on the link",
    "share": "share of the time per token",
    "limit": "largest share allowed for the link", "prompt-time": "time for a long prompt",
    "prompt-link-time": "time on the link", "prompt-limit": "longest time that the link may add",
    "hardware": "price of the hardware", "tokens-a-day": "tokens a day",
    "api-price": "API price for a thousand tokens", "replaced": "saved on the API",
    "running": "running costs", "saved": "monthly saving", "claimed-months": SAID,
    "break-even": "price divided by monthly saving", "watts-each": "board power of each GPU",
    "watts": "board power of all GPUs", "hours": (
        "hours in a month"
    ),
    "energy": "energy", "electricity": "price of electricity", "power-cost": "energy times price",
    "claimed-cost": SAID, "price-implied": "implied price of electricity",
    "rent": "rent", "hours-equal": "price divided by rent", "claimed-hours": SAID,
    "tokens-a-month": "tokens a month", "tokens-implied": "implied tokens a month",
    "tokens-each-day": "tokens per user per day", "how-many": "quantity",
    "tokens-at-most": "most tokens that the hardware can generate in a month",
    "published": "published figures", "together": "sum", "claimed-figure": SAID,
    "rate-reached": "bandwidth reached", "share-reached": "share of the bandwidth reached",
    "reading-speed": "prompt reading speed", "prompt-read": "length of prompt read in that time",
    "comfortable-models": f"number of models that fit {COMFORTABLY}",
    "claimed-utilization": "the page's rule", "all-memory": "the whole memory",
    "comfortable": "comfortable limit", "claimed-count": SAID,
    "listed": "entries listed",
    "term": "term", "result-sum": "sum", "result-product": "product",
    "result-difference": "difference", "result-quotient": "quotient",
    "claimed-result": SAID, "ledger-context": "GPU context", "ledger-weights": "weights",
    "ledger-kv": "KV cache", "ledger-state": "recurrent state", "ledger-compute": "compute buffers",
    "ledger-communication": "communication", "ledger-graphs": "CUDA graphs",
    "ledger-fragmentation": "fragmentation", "ledger-reserved_os": "memory kept by the system",
}  # fmt: skip
"""Names of the lines of the arithmetic."""
