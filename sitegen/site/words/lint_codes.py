"""The finding of each linter rule in words, and what happens if the command is run anyway."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """A rule: what it finds, and why that matters."""

    what: str
    why: str


CODES: Mapping[str, Said] = {
    "does-not-fit": Said(
        "The model does not fit on the GPUs that the command uses",
        "The server runs out of memory while it loads the weights or allocates the cache.",
    ),
    "may-not-fit": Said(
        "The model probably does not fit",
        "Our middle estimate exceeds the memory of the fullest GPU; only the low estimate fits.",
    ),
    "partly-in-ram": Said(
        "Part of the model does not fit on the GPUs",
        (
            "Ollama starts anyway and runs that part on the CPU, which is many times slower. "
            "Only the PROCESSOR column of ollama ps shows it."
        ),
    ),
    "small-steps": Said(
        "Experts are in system RAM, but prompts are read in small steps",
        "Each step sends the experts over PCIe, which takes most of the time that a prompt needs.",
    ),
    "no-context-cap": Said(
        "You set no context limit, and the model's own context is too long",
        (
            "The runtime reserves room for the model's longest context, and stops if there is too "
            "little memory."
        ),
    ),
    "context-too-long": Said(
        "The cache cannot hold the context that you set",
        "The weights fit, but the server stops: there is no room for one request of that length.",
    ),
    "context-beyond-model": Said(
        "The context is longer than the model supports",
        "Most runtimes refuse to start; the others produce nonsense beyond that length.",
    ),
    "world-size": Said(
        "The plan needs more GPUs than are available",
        "The runtime waits for ranks that never start, or stops immediately.",
    ),
    "tensor-split": Said(
        "The model cannot be split over this number of GPUs",
        "The number of heads, a layer's width or a quantization block does not divide evenly, so "
            "the runtime refuses to start.",
    ),
    "tensor-across-nodes": Said(
        "Tensor parallelism crosses a network",
        "Every layer waits for the network twice. Without RDMA, this costs most of the speed.",
    ),
    "one-node": Said(
        "The command runs on one machine, but its plan needs several",
        "The other machines stay idle, and the plan has too few GPUs.",
    ),
    "nodes": Said(
        "The number of machines does not match the plan",
        "The server waits for a machine or a rank that does not exist.",
    ),
    "visible-gpus": Said(
        "The process sees fewer GPUs than its plan needs",
        "The runtime stops, or several ranks share one GPU and run out of memory.",
    ),
    "shared-gpu": Said(
        "Two servers each reserve most of the same GPU",
        "The second server finds too little free memory and stops.",
    ),
    "port-clash": Said(
        "Two servers use the same port",
        "The second server cannot open the port and stops.",
    ),
    "split-count": Said(
        "The number of shares does not match the number of GPUs",
        "llama.cpp puts layers on the wrong GPUs, or leaves some GPUs empty.",
    ),
    "split-size": Said(
        "The shares of the model do not fit on the GPUs that they are assigned to",
        "llama.cpp stops: it cannot allocate memory on the GPU whose share is too large.",
    ),
    "unsupported": Said(
        "The runtime does not load this format, or does not run on this GPU",
        (
            "The runtime stops with a message about kernels, compute capability or an unknown "
            "quantization."
        ),
    ),
    "no-code-for-model": Said(
        "This version of the runtime does not support the model",
        "The runtime stops: it does not support the architecture. A newer version may.",
    ),
    "unquantized-checkpoint": Said(
        "The text promises a quantized model, but the repository has 16-bit files",
        "The download and the memory use are two to four times as large as the text says.",
    ),
    "unknown-option": Said(
        "This version has no such option",
        "The program stops and prints a usage message.",
    ),
    "option-value": Said(
        "The option does not accept this value",
        "The program stops and prints a usage message.",
    ),
    "option-conflict": Said(
        "An option conflicts with another, or needs another",
        "The program stops, or it ignores the option.",
    ),
    "extra-argument": Said(
        "A word does not belong to any option",
        "The program stops, or mistakes the word for a model name.",
    ),
    "comment-after-continuation": Said(
        "A comment after a backslash ends the command",
        "The server starts without the options below it.",
    ),
    "broken-continuation": Said(
        "A line that should continue on the next line does not",
        "The command ends early, and the shell runs the rest as a separate command.",
    ),
    "unclosed-quote": Said(
        "A quote is never closed",
        "The shell waits for more input and does not start anything.",
    ),
    "exposed": Said(
        "Anyone who can reach this machine can use the server",
        (
            "The server listens on every address and asks for no key. An open RPC server accepts "
            "commands from anyone who can reach it."
        ),
    ),
    "actor-gpus": Said(
        "A replica reserves more or fewer GPUs than its plan needs",
        "Ray never places the replica, or GPUs stay reserved and idle.",
    ),
    "ray-gpus": Said(
        "A machine offers Ray more GPUs than it has",
        "Ray places ranks on GPUs that do not exist, and they fail.",
    ),
    "daemon-model": Said(
        "A daemon's settings name a model that none of the servers offers",
        "Requests for that model fail.",
    ),
    "offline-engine": Said(
        "A server uses vLLM's offline engine",
        "The engine answers one call at a time, so users wait for each other.",
    ),
    "no-such-combo": Said(
        "The page names a machine that the site does not have",
        "We cannot check memory.",
    ),
    "too-large": Said(
        "The text is longer than we can check",
        "We did not check any of it.",
    ),
}  # fmt: skip
"""Every code, those that stop a start first."""
