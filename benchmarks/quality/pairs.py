"""Pairs of models whose order nobody disputes, written down before any rating was computed.

They are a generation apart in one family, or a size class apart in one generation, or famous for
the use. A bad name or a new board cannot silently turn them round.
"""

from __future__ import annotations

PAIRS: tuple[tuple[str, str, str], ...] = tuple(
    (use, better, worse)
    for use, better, worse in (
        line.split()
        for line in """
overall qwen3.6-27b mixtral-8x22b-instruct-v0.1
overall qwen3-30b-a3b-instruct-2507 mixtral-8x22b-instruct-v0.1
overall gemma-3-12b-it mixtral-8x7b-instruct-v0.1
overall qwen2.5-72b-instruct llama-2-70b
overall llama-3.3-70b-instruct llama-3-70b-instruct
overall llama-3.1-8b-instruct llama-2-7b
overall llama-3.1-405b llama-3.1-70b-instruct
overall llama-3.1-70b-instruct llama-3.1-8b-instruct
overall gemma-3-27b-it gemma-2-27b-it
overall gemma-2-27b-it gemma-2-9b-it
overall gemma-3-12b-it gemma-3-4b-it
overall gemma-4-31b-it gemma-3-27b-it
overall gemma-4-26b-a4b-it gemma-3-27b-it
overall qwen3.5-27b qwen3-32b
overall qwen3.6-35b-a3b qwen3.5-35b-a3b
overall qwen3.5-397b-a17b qwen3-235b-a22b
overall qwen3-32b qwen2.5-32b-instruct
overall qwen3-14b qwen3-8b
overall qwen3-8b qwen3-4b
overall qwen3-4b qwen3-1.7b
overall qwen2.5-72b-instruct qwen2.5-32b-instruct
overall qwq-32b qwen2.5-32b-instruct
overall deepseek-r1-0528 deepseek-r1
overall deepseek-v3.2 deepseek-v3-0324
overall deepseek-v3-0324 deepseek-v3
overall deepseek-v4-flash deepseek-v3.2
overall deepseek-r1-distill-qwen-14b deepseek-r1-distill-qwen-7b
overall glm-4.7 glm-4.6
overall glm-4.6 glm-4.5
overall glm-4.5 glm-4.5-air
overall glm-5.2 glm-5
overall kimi-k2-thinking kimi-k2-instruct
overall kimi-k2.6 kimi-k2.5
overall minimax-m2.5 minimax-m2
overall gpt-oss-120b gpt-oss-20b
overall mistral-small-3.2-24b-instruct-2506 mistral-nemo-instruct-2407
overall phi-4 phi-3-mini-128k-instruct
overall nemotron-3-super-120b-a12b nemotron-3-nano-30b-a3b
coding qwen2.5-coder-32b-instruct qwen2.5-coder-7b-instruct
coding qwen3-coder-480b-a35b-instruct qwen3-coder-30b-a3b-instruct
coding deepseek-v3-0324 qwen2.5-coder-32b-instruct
agentic glm-4.6 llama-4-maverick-17b-128e-instruct
reasoning deepseek-r1 deepseek-v3
vision gemma-4-31b-it gemma-3-27b-it
""".strip().splitlines()
    )
)
