"""The blocks that layers are made of, as tensor rows: attention, feed-forward, mixture, norms."""

from __future__ import annotations

from sitegen.models.architecture import Tensor
from sitegen.models.cache_kinds import FullAttention, LayerCache, SlidingAttention
from sitegen.models.families.config import Config
from sitegen.values import dataclass

Tensors = tuple[Tensor, ...]


def tensor(group: str, name: str, rows: int, columns: int = 1, replicas: int = 1) -> Tensor:
    """Make a row that :func:`layout.assemble` puts into its layer."""
    return Tensor(0, group, name, rows, columns, replicas)


def norms(width: int, *names: str) -> Tensors:
    """Return one norm of ``width`` elements per name."""
    return tuple(tensor("norm", name, width) for name in names)


def layer_norms(width: int, *names: str) -> Tensors:
    """Return norms with weight and bias (LayerNorm, where others have RMSNorm)."""
    return (*norms(width, *names), *(tensor("bias", f"{name}_bias", width) for name in names))


@dataclass(frozen=True, slots=True)
class Heads:
    """The shape of grouped-query attention: counts and widths of its heads."""

    query: int
    kv: int
    key_dim: int
    value_dim: int

    def cache(self, window: int = 0) -> LayerCache:
        """The layer's cache; ``window`` 0 keeps every token."""
        if window:
            return SlidingAttention(self.kv, self.key_dim, self.value_dim, window)
        return FullAttention(self.kv, self.key_dim, self.value_dim)


def heads_of(config: Config) -> Heads:
    """Read the heads of a model whose layers all have the same."""
    return Heads(config.heads, config.kv_heads, config.head_dim, config.head_dim)


def attention(
    hidden: int, heads: Heads, *, biases: str = "", gated: bool = False, value: bool = True
) -> Tensors:
    """Return the projections of grouped-query attention.

    ``q: H·dh x d``, twice as many rows with an output gate; ``k: Hk·dh x d``; ``v: Hk·dv x d``
    (none where the values are the keys); ``o: d x H·dv``. ``biases`` names the projections that
    have one, e.g. ``qkv``.

    Source:
        Ainslie et al. 2023, https://arxiv.org/abs/2305.13245; transformers 5.23.0, ``llama``.
    """
    rows = {
        "q": heads.query * heads.key_dim * (2 if gated else 1),
        "k": heads.kv * heads.key_dim,
        "v": heads.kv * heads.value_dim,
        "o": hidden,
    }
    columns = {"q": hidden, "k": hidden, "v": hidden, "o": heads.query * heads.value_dim}
    names = "qkvo" if value else "qko"
    weights = tuple(tensor(f"attn_{name}", name, rows[name], columns[name]) for name in names)
    return (*weights, *(tensor("bias", f"{name}_bias", rows[name]) for name in biases))


def head_norms(heads: Heads) -> Tensors:
    """Return norms of queries and keys, one weight per element of a head."""
    return (*norms(heads.key_dim, "q_norm"), *norms(heads.key_dim, "k_norm"))


def wide_norms(heads: Heads) -> Tensors:
    """Return norms of queries and keys over all heads together."""
    return (
        *norms(heads.query * heads.key_dim, "q_norm"),
        *norms(heads.kv * heads.key_dim, "k_norm"),
    )


def feed_forward(
    hidden: int, width: int, *, group: str = "ffn", gated: bool = True, bias: bool = False
) -> Tensors:
    """Return a dense feed-forward block: ``3·d·f`` elements when gated, else ``2·d·f``."""
    names = ("gate", "up", "down") if gated else ("up", "down")
    shapes = {"gate": (width, hidden), "up": (width, hidden), "down": (hidden, width)}
    weights = tuple(tensor(f"{group}_{name}", name, *shapes[name]) for name in names)
    if not bias:
        return weights
    return (*weights, *(tensor("bias", f"{name}_bias", shapes[name][0]) for name in names))


def mixture(
    hidden: int,
    experts: int,
    width: int,
    *,
    shared: int = 0,
    shared_gate: bool = False,
    gated: bool = True,
    correction: bool = False,
    latent: int = 0,
    idle: int = 0,
) -> Tensors:
    """Return a mixture of experts: router, routed experts and, if any, the shared expert.

    ``width`` is one routed expert's, ``shared`` the shared experts' together; ``correction`` adds
    the buffer that balances the router; ``latent`` is the width that routed experts work in where
    it is not the model's; ``idle`` counts experts that the router can pick and that hold nothing.

    Source:
        transformers 5.23.0: ``mixtral``, ``qwen2_moe``, ``deepseek_v3``, ``nemotron_h``,
        ``longcat_flash``.
    """
    inner = latent or hidden
    names = ("gate", "up", "down") if gated else ("up", "down")
    shapes = {"gate": (width, inner), "up": (width, inner), "down": (inner, width)}
    tensors = [tensor("router", "router", experts + idle, hidden)]
    if correction:
        tensors.append(tensor("buffer", "e_score_correction_bias", experts + idle))
    if latent:
        tensors += [
            tensor("latent", "into", latent, hidden),
            tensor("latent", "out", hidden, latent),
        ]
    tensors += [tensor(f"exp_{name}", name, *shapes[name], replicas=experts) for name in names]
    if shared:
        tensors += feed_forward(hidden, shared, group="shexp", gated=gated)
    if shared_gate:
        tensors.append(tensor("router", "shared_gate", 1, hidden))
    return tuple(tensors)
