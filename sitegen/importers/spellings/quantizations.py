"""Which quantization of the catalog a spelling means: by format, bits and group, read one by one.

A word that tells of a layout of its own (a maker's dynamic mix, weights tuned for the format,
prediction layers beside it) makes the spelling mean nothing: its tensors are other tensors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from sitegen.catalog.domain.models import Quantization
from sitegen.importers.spellings.words import split
from sitegen.values import dataclass

COMMON_GROUP = 128
"""Inputs that share a scale in AWQ, GPTQ and W4A16, where nobody says otherwise."""
_PLAIN = frozenset(
    {
        "hf", "safetensors", "ct", "modelopt", "quantized", "latest", "gguf", "h6", "h8", "mlx",
        "smoothquant", "vllm", "sglang", "native",
    }
)  # fmt: skip
"""Words that name a tool, a container or how scales were found, and change no tensor."""
_FORMATS = {"exl2": "exl2", "exl3": "exl3", "awq": "awq", "gptq": "gptq", "mlx": "mlx"}
_TYPES = frozenset({"nvfp4", "mxfp4", "mxfp8", "fp32"})
_SIXTEEN = frozenset({"bf16", "fp16", "f16"})
_GGUF = re.compile(r"i?q\d(?:[-_]\w+|k\w*|nl|x\w+)|mxfp4[-_]moe\w*")
_WIDTHS = {"medium": "m", "small": "s", "large": "l"}


@dataclass(frozen=True, slots=True)
class _Said:
    """What the words of a spelling say, each once."""

    format: str
    bits: float | None = None
    group: int | None = None
    block: bool = False


class QuantizationNames:
    """The quantizations of a catalog by what a name can say of them."""

    def __init__(self, quantizations: Mapping[str, Quantization]) -> None:
        self._listed = quantizations
        self._by_type = {
            _letters(quantization.gguf_file_type): id
            for id, quantization in quantizations.items()
            if quantization.gguf_file_type
        }
        self._by_name = {
            _letters(text): id
            for id, quantization in quantizations.items()
            for text in (id, quantization.name, quantization.gguf_file_type)
            if text and _letters(text) not in _SIXTEEN - {id}
        }

    def meant(self, spelling: str) -> str | None:
        """Find what a word of a log, of a listing or of a person means, alone.

        The size that llama.cpp prints behind a type is no part of its name.
        """
        text = re.sub(r" - [\d.]+ bpw$", "", spelling.strip().lower())
        for word, letter in _WIDTHS.items():
            text = re.sub(rf"(?<=k) - {word}$", f"_{letter}", text)
        text = re.sub(r"\([^()\d]*\)$", "", text)
        text = re.sub(r"[()]", " ", text).strip()
        exact = self._by_name.get(_letters(text))
        if exact is not None:
            return exact
        cut = split(f"x-{text}", ())
        return self.of_marks(cut.marks) if cut.rest == "x" else None

    def of_marks(
        self, marks: Sequence[str], *, container: str = "", group: int | None = COMMON_GROUP
    ) -> str | None:
        """Find what the marks of a model's name mean together.

        Args:
            marks: As ``words.split`` takes them off.
            container: What its owner publishes, where the name says only how many bits (``mlx``).
            group: Inputs that share a scale where the marks do not say; None if nobody knows.
        """
        words = [one for one in marks if not re.fullmatch(r"\d{5}-of-\d{5}", one)]
        if container and container not in words:
            words.append(container)
        types = [one for one in words if _GGUF.fullmatch(one)]
        if types or "gguf" in words:
            rest = [one for one in words if one not in types and one not in {"gguf", "imatrix"}]
            if not types and len(rest) == 1 and rest[0] in _SIXTEEN:
                return self._by_type.get("f16")
            return self._by_type.get(_letters(types[0])) if len(types) == 1 and not rest else None
        said = _said(words)
        return None if said is None else self._one(said, group)

    def _one(self, said: _Said, common: int | None) -> str | None:
        quantizations = [
            quantization
            for quantization in self._listed.values()
            if quantization.format == said.format
            and not quantization.gguf_file_type
            and (said.bits is None or quantization.linears.weight_bits == said.bits)
            and (quantization.linears.block_rows > 1) == said.block
            and quantization.nominal_bits >= quantization.linears.weight_bits
        ]
        groups = {quantization.linears.group_size for quantization in quantizations}
        if said.group is not None or len(groups) > 1 or groups == {COMMON_GROUP}:
            wanted = said.group or common
            quantizations = [
                quantization
                for quantization in quantizations
                if quantization.linears.group_size == wanted
            ]
        return quantizations[0].id if len(quantizations) == 1 else None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", text.lower())


def _said(words: Collection[str]) -> _Said | None:
    """Put the words together; nothing if one is not understood or two contradict each other."""
    formats: set[str] = set()
    bits: set[float] = set()
    group, block = None, False
    for word in words:
        if word == "w4a4" and _TYPES & set(words):
            continue  # the type itself, and activations as well
        found = re.fullmatch(r"(\d+(?:\.\d+)?)[- ]?(?:bits?|bpw)|int(\d+)", word)
        activations = re.fullmatch(r"w(\d+)a(\d+)", word)
        gptq = re.fullmatch(r"gptq.(\d)b", word)
        if word in _FORMATS:
            formats.add(_FORMATS[word])
        elif word in _TYPES or word == "nvfp4a16":
            formats.add(word.removesuffix("a16"))
        elif gptq:
            formats.add("gptq")
            bits.add(float(gptq[1]))
        elif word in _SIXTEEN:
            formats.add("bf16")
        elif word in {"fp8", "block", "dynamic"}:
            formats.add("fp8")
            block = block or word == "block"
        elif activations:
            formats.add(
                {"16": "compressed-tensors", activations[1]: "int8"}.get(activations[2], "?")
            )
            bits.add(float(activations[1]))
        elif found:
            bits.add(float(found[1] or found[2]))
        elif re.fullmatch(r"gs?\d{2,3}|\d{2,3}g", word):
            group = int(word.strip("gs"))
        elif word not in _PLAIN:
            return None
    return _joined(formats, bits, group, block=block)


def _joined(formats: set[str], bits: set[float], group: int | None, *, block: bool) -> _Said | None:
    if "mlx" in formats and formats == {"mlx", "bf16"}:
        return _Said("mlx", 16.0)
    if len(formats) != 1 or len(bits) > 1:
        return None
    (form,) = formats
    stated = next(iter(bits), None)
    if form in {"mlx", "exl2", "exl3"} and stated is None:
        return None
    if form == "bf16" and stated is not None:
        return None
    return _Said(form, stated, group, block)
