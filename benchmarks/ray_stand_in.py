"""Runs inside an environment with Ray: checks Serve files, and serves one with a stand-in engine.

Started by ``benchmarks.ray_serve``, which makes that environment; it needs no GPU and no vLLM.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import ray
import yaml
from ray import serve
from ray.llm._internal.serve.core.configs.llm_config import LLMConfig
from ray.serve.schema import ServeDeploySchema
from starlette.requests import Request

WAIT_S = 60.0


class Engine:
    """Answers as an OpenAI-compatible server would, without a model."""

    def __init__(self, model: str, arguments: dict[str, Any]) -> None:
        self.model, self.arguments = model, arguments

    async def __call__(self, request: Request) -> dict[str, Any]:
        """List the model, or echo a word."""
        if request.url.path == "/v1/models":
            length = self.arguments["max_model_len"]
            return {"object": "list", "data": [{"id": self.model, "max_model_len": length}]}
        asked = await request.json()
        message = {"role": "assistant", "content": f"hello from {asked['model']}"}
        return {"choices": [{"index": 0, "message": message}]}


def application(written: dict[str, Any]) -> Any:
    """Bind the stand-in as ``build_openai_app`` binds vLLM: replicas, bundles and strategy."""
    (given,) = written["args"]["llm_configs"]
    config = LLMConfig(**given)
    group = config.placement_group_config
    made = serve.deployment(Engine).options(
        **config.deployment_config,
        placement_group_bundles=group["bundles"],
        placement_group_strategy=group["strategy"],
        ray_actor_options={"num_cpus": 1},
    )
    return made.bind(config.model_id, config.engine_kwargs)


def check(path: Path) -> dict[str, Any]:
    """Read a file with the schema of Serve and of Serve LLM; raise where it does not fit."""
    written = yaml.safe_load(path.read_text("utf-8"))
    schema = ServeDeploySchema.model_validate(written)
    for one in schema.applications:
        for given in one.args["llm_configs"]:
            config = LLMConfig(**given)
            bundles = len(config.placement_group_config["bundles"])
            sizes = config.engine_kwargs
            world = sizes["tensor_parallel_size"] * sizes["pipeline_parallel_size"]
            if bundles != world:
                raise SystemExit(f"{path}: {bundles} bundles for {world} ranks")
    return dict(written)


def get(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ask the server; JSON in, JSON out."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - our own server
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own server
        return dict(json.load(answer))


def started(written: dict[str, Any]) -> None:
    """Start a file on logical GPUs, wait for all replicas, ask over HTTP, stop."""
    (one,) = written["applications"]
    (given,) = one["args"]["llm_configs"]
    copies = given["deployment_config"]["autoscaling_config"]["max_replicas"]
    gpus = copies * len(given["placement_group_config"]["bundles"])
    began = time.monotonic()
    ray.init(num_cpus=4 * gpus + 4, num_gpus=gpus, include_dashboard=False, log_to_driver=False)
    options = {**written["http_options"], "port": 8_765}
    serve.start(http_options=options)
    serve.run(application(one), name=one["name"], route_prefix=one["route_prefix"])
    while True:
        found = serve.status().applications[one["name"]].deployments["Engine"]
        running = found.replica_states.get("RUNNING", 0)
        if running == copies or time.monotonic() - began > WAIT_S:
            break
        time.sleep(0.5)
    base = f"http://{options['host']}:{options['port']}/v1"
    listed = get(f"{base}/models")["data"][0]
    model = listed["id"]
    said = get(f"{base}/chat/completions", {"model": model, "messages": []})
    left = ray.available_resources().get("GPU", 0.0)
    serve.shutdown()
    ray.shutdown()
    print(f"started {running} of {copies} replicas over {gpus} logical GPUs, {left:g} left over")
    print(f"answered {listed} and {said['choices'][0]['message']['content']!r}, then stopped")
    print(f"took {time.monotonic() - began:.0f} s")
    if running != copies or left:
        raise SystemExit("not every replica started, or GPUs were left over")


def replicas_and_bundles(written: dict[str, Any]) -> tuple[int, int]:
    """How much of the cluster a file takes: the one with most replicas is started."""
    (given,) = written["applications"][0]["args"]["llm_configs"]
    copies = given["deployment_config"]["autoscaling_config"]["max_replicas"]
    return copies, len(given["placement_group_config"]["bundles"])


if __name__ == "__main__":
    files = [Path(word) for word in sys.argv[1:]]
    print(f"ray {ray.__version__}")
    read = [check(path) for path in files]
    print(f"{len(read)} files fit ServeDeploySchema and LLMConfig")
    started(max(read, key=replicas_and_bundles))
