"""What a listing of Ollama's library says of the tags without a type."""

from __future__ import annotations

from benchmarks.ollama_tags import Tags, listing_of
from tests.recipes.everything import engine


def row(name: str, size: str) -> dict[str, str]:
    return {"name": name, "size_str": size}


def test_a_tag_is_the_longer_one_that_lacks_a_type_of_its_size() -> None:
    """Each digest is listed once: the shorter tag stands for what is missing of the longer."""
    rows = {
        "a": row("qwen3:latest", "5.2GB"),
        "b": row("qwen3:30b", "19GB"),
        "c": row("qwen3:8b-q8_0", "8.9GB"),
        "d": row("qwen3:30b-a3b-q4_K_M", "19GB"),
        "e": row("qwen3:30b-a3b-q8_0", "33GB"),
        "f": row("qwen3:30b-a3b-thinking-2507-q8_0", "32GB"),
        "g": row("qwen3:30b-mlx      MLX", "19GB"),
        "h": row("qwen3:30b-cloud", ""),
    }
    found = dict(Tags(engine()).of_family("qwen3", listing_of(rows), ["8b", "30b"]))
    assert found == {
        "qwen3": "qwen3-8b Q4_K_M",
        "qwen3:8b": "qwen3-8b Q4_K_M",
        "qwen3:30b": "qwen3-30b-a3b-thinking-2507 Q4_K_M",
        "qwen3:8b-": "qwen3-8b",
        "qwen3:30b-a3b-": "qwen3-30b-a3b",
        "qwen3:30b-a3b-thinking-2507-": "qwen3-30b-a3b-thinking-2507",
    }


def test_a_size_that_no_type_has_leaves_the_type_open() -> None:
    rows = {"a": row("llama3.3:70b", "90GB"), "b": row("gpt-oss:20b", "14GB")}
    tags = Tags(engine())
    assert dict(tags.of_family("llama3.3", listing_of({"a": rows["a"]}), ["70b"])) == {
        "llama3.3:70b": "llama-3.3-70b-instruct"
    }
    assert dict(tags.of_family("gpt-oss", listing_of({"b": rows["b"]}), ["20b"])) == {
        "gpt-oss:20b": "gpt-oss-20b MXFP4_MOE_F16"
    }
