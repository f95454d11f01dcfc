"""Loads one program's parser of arguments and parses commands with it, in an environment apart.

``python loaded.py PROGRAM FOLDER`` reads lists of words as JSON from its input, and answers with
a reason for each that is refused, ``null`` for each that is parsed.
"""

# mypy: ignore-errors
# ruff: noqa: S101 - what a parser returns is asserted

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from absent import stand_in

EXO = tuple(
    f"exo.{name}"
    for name in (
        "routing", "api", "download", "master", "worker", "shared.election", "shared.types",
        "shared.constants", "shared.logging", "utils.channels", "utils.dashboard_path",
        "utils.task_group",
    )
)  # fmt: skip
"""What exo's parser does without, in the syntax of a newer Python."""
RAY = ("_raylet", "actor", "core", "dag", "experimental", "exceptions", "remote_function")
"""What ray's command line does without."""

Parse = Callable[[list[str]], object]


class Parsed(BaseException):
    """The words were taken."""


def vllm(root: Path) -> Parse:
    """Parse ``vllm serve``, and check names of parsers as the server does at its start."""
    stand_in("vllm", named=("vllm._C", "vllm._moe_C", "vllm.ir", "vllm.v1.executor"))
    _path(root)
    import vllm.platforms
    from vllm.entrypoints.common import cli_args
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager
    from vllm.utils.argparse_utils import (
        FlexibleArgumentParser,
    )

    type(vllm.platforms.current_platform).device_type = "cuda"
    parser = cli_args.make_arg_parser(FlexibleArgumentParser(prog="vllm serve"))

    def parse(words: list[str]) -> None:
        found = parser.parse_args(words)
        cli_args.validate_parsed_serve_args(found)
        reasoning = found.reasoning_parser
        if reasoning:
            ReasoningParserManager.get_reasoning_parser(reasoning)
        if found.tool_call_parser:
            ToolParserManager.get_tool_parser(found.tool_call_parser)

    return parse


def sglang(root: Path) -> Parse:
    """Parse ``sglang serve``."""
    stand_in("sglang", named=("sglang.srt.utils.hf_transformers_patches",))
    _path(root)
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser(prog="sglang serve")
    ServerArgs.add_cli_args(parser)
    return parser.parse_args


def sglang_router(root: Path) -> Parse:
    """Parse ``python -m sglang_router.launch_router``."""
    stand_in("sglang_router", named=("sglang_router.sglang_router_rs",))
    _path(root)
    from sglang_router.launch_router import (
        parse_router_args,
    )

    parse: Parse = parse_router_args
    return parse


def through_main(
    module: str, function: str = "main", named: tuple[str, ...] = ()
) -> Callable[[Path], Parse]:
    """Parse as a program does whose function makes its parser: call it, and stop behind it."""

    def load(root: Path) -> Parse:
        stand_in(module.partition(".")[0], named=named)
        _path(root)
        real_version = importlib.metadata.version
        own = module.partition(".")[0]
        importlib.metadata.version = lambda name: "0" if name == own else real_version(name)
        found = importlib.import_module(module)
        main: object = found
        for part in function.split("."):
            main = getattr(main, part)
        assert callable(main)
        real = argparse.ArgumentParser.parse_args
        real_known = argparse.ArgumentParser.parse_known_args

        def parse_args(self: argparse.ArgumentParser, *given: object, **named: object) -> object:
            argparse.ArgumentParser.parse_known_args = real_known
            real(self, *given, **named)
            raise Parsed

        def parse_known(self: argparse.ArgumentParser, *given: object, **named: object) -> object:
            real_known(self, *given, **named)
            raise Parsed

        def parse(words: list[str]) -> None:
            sys.argv = [module, *words]
            argparse.ArgumentParser.parse_args = parse_args
            argparse.ArgumentParser.parse_known_args = parse_known
            try:
                main()
            except Parsed:
                return
            finally:
                argparse.ArgumentParser.parse_args = real
                argparse.ArgumentParser.parse_known_args = real_known
            raise ValueError("it ended without asking its parser")

        return parse

    return load


def tabbyapi(root: Path) -> Parse:
    """Parse the words of ``main.py``; a word with line ends is its configuration."""
    stand_in("common", "backends", "endpoints")
    _path(root)
    import yaml
    from common.args import init_argparser
    from common.config_models import TabbyConfigModel

    parser = init_argparser()

    def parse(words: list[str]) -> None:
        if "\n" not in words[0]:
            parser.parse_args(words)
            return
        given = yaml.safe_load(words[0])
        for section, values in given.items():
            known = TabbyConfigModel.model_fields[section].annotation
            fields = getattr(known, "model_fields", {}) or known.__args__[0].model_fields
            for name in values:
                assert name in fields, f"{section} has no field {name}"
        TabbyConfigModel.model_validate(given)

    return parse


def clicked(load: Callable[[Path], object]) -> Callable[[Path], Parse]:
    """Parse as a program of click does, whose functions are not called."""

    def loaded(root: Path) -> Parse:
        command = load(root)
        click = importlib.import_module(_click_of(command))
        own = click.Command.invoke

        def invoke(self: object, context: object) -> object:
            if isinstance(self, click.Group):
                return own(self, context)
            raise Parsed

        click.Command.invoke = invoke

        def parse(words: list[str]) -> None:
            try:
                command.main(words, standalone_mode=False)
            except Parsed:
                return

        return parse

    return loaded


def _click_of(command: object) -> str:
    """Name the module that a command's class comes from: some programs carry a copy of click."""
    classes = type(command).__mro__
    return next(one.__module__ for one in classes if one.__name__ == "Command")


def hub(_: Path) -> object:
    """Load ``hf``, which the environment has installed."""
    from huggingface_hub.cli.hf import app

    app.callback = None
    return app


def ray(root: Path) -> object:
    """Load ``ray``."""
    import ctypes

    ctypes.CDLL = ctypes.PyDLL = lambda *_, **__: None
    stand_in("ray", named=tuple(f"ray.{one}" for one in RAY))
    _path(root)
    from ray.scripts.scripts import cli

    cli.callback = None
    return cli


def ufw(root: Path) -> Parse:
    """Parse a rule of ufw, whose package is Debian's."""
    _path(root)
    import builtins

    builtins.__dict__["_"] = str
    import ufw.common
    import ufw.frontend

    def parse(words: list[str]) -> None:
        ufw.frontend.parse_command(["ufw", *words])

    return parse


def _path(root: Path) -> None:
    sys.path.insert(0, str(root))


PARSERS: dict[str, Callable[[Path], Parse]] = {
    "vllm": vllm,
    "sglang": sglang,
    "sglang-router": sglang_router,
    "mlx_lm.server": through_main("mlx_lm.server"),
    "mlx_lm.convert": through_main("mlx_lm.convert"),
    "mlx.launch": through_main("mlx._distributed_utils.launch", named=("mlx.core",)),
    "mlx.distributed_config": through_main("mlx._distributed_utils.config", named=("mlx.core",)),
    "exo": through_main("exo.main", "Args.parse", EXO),
    "exllamav3": through_main("convert"),
    "tabbyapi": tabbyapi,
    "hf": clicked(hub),
    "ray": clicked(ray),
    "ufw": ufw,
}


def reason(parse: Parse, words: list[str]) -> str | None:
    """Parse words; say why they are refused."""
    said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - a real file, as some parsers expect
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parse(words)
    except SystemExit as end:
        if end.code in {0, None}:
            return None
        said.seek(0)
        return said.read().strip().rpartition("\n")[2] or "refused"
    except Exception as fault:
        return f"{type(fault).__name__}: {fault}"
    return None


def main(program: str, root: str) -> None:
    """Answer for every list of words."""
    given = json.load(sys.stdin)
    answer = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        parse = PARSERS[program](Path(root))
        found = [reason(parse, words) for words in given]
    json.dump(found, answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
