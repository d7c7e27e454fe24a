"""What the engine has to compute, worked out by PyTorch: logits, losses, gradients, AdamW, reward head, GRPO.

Run by hand when the fixtures have to change; their output (below 1 MB) is committed, so tests need no Python:

    python3 -m venv /tmp/parity-venv && /tmp/parity-venv/bin/pip install torch numpy safetensors
    /tmp/parity-venv/bin/python tests/parity/make_fixtures.py

The weights are float32. Everything is computed twice: in float64, which is what the fixtures hold (rounded to float32),
and in float32, whose distance from it is printed and kept in the .json as `torch_float32_error`: an engine in float32
cannot be held to less than what PyTorch itself loses. Architecture: GPT-2 as nanoGPT has it (pre-norm, exact GELU, tied
head). GRPO: DeepSeekMath, section 4.1, averaged as TRL's loss_type says.
"""

import json
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file

OUT = Path(__file__).parent / "fixtures"

SHAPES = {
    "bias": dict(n_layer=2, n_head=2, n_embd=16, block_size=8, vocab_size=11, bias=True, reward_head_hidden_dim=12),
    "nobias": dict(n_layer=3, n_head=4, n_embd=24, block_size=16, vocab_size=29, bias=False, reward_head_hidden_dim=20),
}
ADAMW = dict(beta1=0.9, beta2=0.95, weight_decay=0.1, grad_clip=1.0, learning_rates=[1e-3, 3e-3, 2e-3, 1e-3, 5e-4])
GRPO = dict(group_size=3, prompts=2, epsilon=0.2, epsilon_high=0.28, beta=0.15)
TEMPERATURE = {"bias": 0.8, "nobias": 1.0}
LOSS_TYPES = ("grpo", "dapo", "dr_grpo")


# --- the model, in PyTorch's own functions -------------------------------------------------------------------------------------


def linear(p, name, x):
    return F.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))


def layer_norm(p, name, x):
    return F.layer_norm(x, x.shape[-1:], p[f"{name}.weight"], p.get(f"{name}.bias"), 1e-5)


def attention(p, name, x, n_head):
    B, T, C = x.shape
    q, k, v = (part.view(B, T, n_head, C // n_head).transpose(1, 2) for part in linear(p, f"{name}.c_attn", x).split(C, -1))
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return linear(p, f"{name}.c_proj", mixed.transpose(1, 2).reshape(B, T, C))


def mlp(p, name, x):
    return linear(p, f"{name}.c_proj", F.gelu(linear(p, f"{name}.c_fc", x)))


def trunk(p, shape, ids):
    x = p["transformer.wte.weight"][ids] + p["transformer.wpe.weight"][: ids.shape[1]]
    for layer in range(shape["n_layer"]):
        block = f"transformer.h.{layer}"
        x = x + attention(p, f"{block}.attn", layer_norm(p, f"{block}.ln_1", x), shape["n_head"])
        x = x + mlp(p, f"{block}.mlp", layer_norm(p, f"{block}.ln_2", x))
    return layer_norm(p, "transformer.ln_f", x)


def lm_logits(p, shape, ids):
    return trunk(p, shape, ids) @ p["transformer.wte.weight"].T


def cross_entropy(logits, labels):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


def reward_hidden(p, shape, ids):
    return linear(p, "reward_head.0", trunk(p, shape, ids)[:, -1])


def reward_probabilities(p, shape, ids):
    return linear(p, "reward_head.2", reward_hidden(p, shape, ids).relu()).softmax(-1)


def completion_scores(p, shape, ids, temperature):
    """Log-probabilities of tokens 1..T-1, and the entropy of the distributions they were drawn from. (N, T-1) each"""
    log_p = (lm_logits(p, shape, ids[:, :-1]) / temperature).log_softmax(-1)
    return log_p.gather(-1, ids[:, 1:, None])[..., 0], -(log_p.exp() * log_p).sum(-1)


# --- inputs ------------------------------------------------------------------------------------------------------------


def make_weights(shape, rng):
    """Far from initialisation on purpose: attention that attends, GELUs on both sides of zero, norms that are not 1."""
    C, R = shape["n_embd"], shape["reward_head_hidden_dim"]
    weights = {}

    def put(name, size, std, centre=0.0):
        weights[name] = (centre + std * rng.standard_normal(size)).astype(np.float32)

    def put_norm(name):
        put(f"{name}.weight", C, 0.2, 1.0)
        if shape["bias"]:
            put(f"{name}.bias", C, 0.2)

    def put_linear(name, out, inputs, bias):
        put(f"{name}.weight", (out, inputs), 1.0 / math.sqrt(inputs))
        if bias:
            put(f"{name}.bias", out, 0.2)

    put("transformer.wte.weight", (shape["vocab_size"], C), 0.4)
    put("transformer.wpe.weight", (shape["block_size"], C), 0.3)
    for layer in range(shape["n_layer"]):
        block = f"transformer.h.{layer}"
        put_norm(f"{block}.ln_1")
        put_linear(f"{block}.attn.c_attn", 3 * C, C, shape["bias"])
        put_linear(f"{block}.attn.c_proj", C, C, shape["bias"])
        put_norm(f"{block}.ln_2")
        put_linear(f"{block}.mlp.c_fc", 4 * C, C, shape["bias"])
        put_linear(f"{block}.mlp.c_proj", C, 4 * C, shape["bias"])
    put_norm("transformer.ln_f")
    put_linear("reward_head.0", R, C, True)
    put_linear("reward_head.2", 2, R, True)
    return weights


def perturbed(weights, rng, amount):
    return {
        name: (value + amount * rng.standard_normal(value.shape)).astype(np.float32) for name, value in weights.items()
    }


def tensors(arrays, dtype, trained=lambda name: False):
    return {name: torch.tensor(value, dtype=dtype, requires_grad=trained(name)) for name, value in arrays.items()}


def is_head(name):
    return name.startswith("reward_head.")


def gradients(loss, p):
    names = [name for name, value in p.items() if value.requires_grad]
    found = torch.autograd.grad(loss, [p[name] for name in names], retain_graph=True)
    return {name: gradient.numpy() for name, gradient in zip(names, found)}


# --- what is worked out ------------------------------------------------------------------------------------------------


def language_model(weights, shape, ids, short_ids, dtype):
    p = tensors({n: w for n, w in weights.items() if not is_head(n)}, dtype, lambda _: True)
    logits = lm_logits(p, shape, ids[:, :-1])
    loss = cross_entropy(logits, ids[:, 1:])
    arrays = {"lm.logits": logits.detach().numpy(), "lm.logits_short": lm_logits(p, shape, short_ids).detach().numpy()}
    arrays |= {f"lm.gradient.{name}": value for name, value in gradients(loss, p).items()}
    return arrays, {"loss": loss.item()}


def adamw(weights, shape, batches, dtype):
    p = tensors({n: w for n, w in weights.items() if not is_head(n)}, dtype, lambda _: True)
    groups = [
        {"params": [w for w in p.values() if w.dim() >= 2], "weight_decay": ADAMW["weight_decay"]},
        {"params": [w for w in p.values() if w.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=0.0, betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=1e-8)
    losses, norms = [], []
    for ids, learning_rate in zip(batches, ADAMW["learning_rates"]):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate
        loss = cross_entropy(lm_logits(p, shape, ids[:, :-1]), ids[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(list(p.values()), ADAMW["grad_clip"]).item())
        losses.append(loss.item())
        optimizer.step()
    return {f"adamw.after.{name}": value.detach().numpy() for name, value in p.items()}, {"losses": losses, "norms": norms}


def reward(weights, shape, ids, targets, dtype):
    last = f"transformer.h.{shape['n_layer'] - 1}."
    p = tensors(weights, dtype, lambda name: is_head(name) or name.startswith((last, "transformer.ln_f.")))
    probabilities = reward_probabilities(p, shape, ids)
    loss = ((probabilities - torch.tensor(targets, dtype=dtype)) ** 2).mean()
    kink = reward_hidden(p, shape, ids).abs().min().item()
    assert kink > 1e-4, f"a ReLU is within {kink} of its kink: float32 may take the other side; change the seed"
    cross_entropy_loss = -(torch.tensor(targets, dtype=dtype) * probabilities.log()).sum(1).mean()
    arrays = {"reward.probabilities": probabilities.detach().numpy()}
    arrays |= {f"reward.gradient.{name}": value for name, value in gradients(loss, p).items()}
    head = {name: value for name, value in p.items() if is_head(name)}
    found = gradients(cross_entropy_loss, head)
    arrays |= {f"reward.cross_entropy.gradient.{name}": value for name, value in found.items()}
    return arrays, {"loss": loss.item(), "cross_entropy": cross_entropy_loss.item()}


def grpo(weights, old_weights, reference_weights, shape, ids, prompt_lengths, rewards, temperature, dtype):
    generator = lambda arrays: {n: w for n, w in arrays.items() if not is_head(n)}
    T = ids.shape[1]
    mask = torch.tensor([[1.0 if t + 1 >= K else 0.0 for t in range(T - 1)] for K in prompt_lengths], dtype=dtype)
    grouped = torch.tensor(rewards, dtype=dtype).view(-1, GRPO["group_size"])
    advantages = ((grouped - grouped.mean(1, keepdim=True)) / (grouped.std(1, keepdim=True) + 1e-4)).view(-1, 1)
    with torch.no_grad():
        # What the engine is given is float32: both precisions start from the same numbers.
        old = completion_scores(tensors(generator(old_weights), torch.float64), shape, ids, temperature)[0].float().to(dtype)
        reference = completion_scores(tensors(generator(reference_weights), torch.float64), shape, ids, temperature)[0]
        reference = reference.float().to(dtype)
    low, high, tokens = 1 - GRPO["epsilon"], 1 + GRPO["epsilon_high"], mask.sum()

    def mean_over_tokens(values):
        return ((values * mask).sum() / tokens).item()

    p = tensors(generator(weights), dtype, lambda _: True)
    arrays, scalars = {}, {"advantages": advantages[:, 0].tolist()}
    for loss_type in LOSS_TYPES:
        log_probs, entropy = completion_scores(p, shape, ids, temperature)
        ratio = (log_probs - old).exp()
        distance = torch.minimum((ratio - low).abs(), (ratio - high).abs()).min().item()
        assert distance > 1e-4, f"a ratio is within {distance} of its clip: change the seed"
        k3 = (reference - log_probs).exp() - (reference - log_probs) - 1
        per_token = -torch.minimum(ratio * advantages, ratio.clamp(low, high) * advantages) + GRPO["beta"] * k3
        loss = {
            "grpo": ((per_token * mask).sum(1) / mask.sum(1)).mean(),
            "dapo": (per_token * mask).sum() / tokens,
            "dr_grpo": (per_token * mask).sum() / (len(prompt_lengths) * T),
        }[loss_type]
        arrays |= {f"grpo.{loss_type}.gradient.{name}": value for name, value in gradients(loss, p).items()}
        scalars[loss_type] = {"loss": loss.item()}
    log_probs, _ = completion_scores(p, shape, ids, temperature)
    fresh = -(log_probs - log_probs.detach()).exp() * advantages  # the first update on fresh samples: the ratio is 1
    fresh = ((fresh * mask).sum(1) / mask.sum(1)).mean()
    if shape["bias"]:
        arrays |= {f"grpo.fresh.gradient.{name}": value for name, value in gradients(fresh, p).items()}
    scalars["fresh"] = {"loss": fresh.item()}
    arrays |= {"grpo.log_probs": log_probs.detach().numpy(), "grpo.old": old.numpy(), "grpo.reference": reference.numpy()}
    scalars |= {
        "kl": mean_over_tokens(k3),
        "entropy": mean_over_tokens(entropy),
        "clip_low": mean_over_tokens((ratio < low) & (advantages < 0)),
        "clip_high": mean_over_tokens((ratio > high) & (advantages > 0)),
    }
    return arrays, scalars


def key_bias_removed(key, value):
    """A key's bias shifts all scores of a query alike, which softmax ignores: its gradient is exactly 0, and AdamW turns
    whatever rounding leaves of it into steps of its own. No two float32 implementations agree on it; it changes nothing."""
    if not (key.startswith("adamw.") and key.endswith("c_attn.bias")):
        return value
    query, _, values = np.split(value, 3)
    return np.concatenate([query, values])


def relative_error(found, expected):
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))


def make(name, shape, seed):
    rng = np.random.RandomState(seed)
    T, V = shape["block_size"], shape["vocab_size"]
    weights = make_weights(shape, rng)
    batches = [rng.randint(0, V, (3, T + 1)) for _ in range(1 + len(ADAMW["learning_rates"]))]
    reward_ids = rng.randint(0, V, (5, T))
    natural = rng.randint(1, T, 5) / T
    N = GRPO["group_size"] * GRPO["prompts"]
    ids = rng.randint(0, V, (N, T))
    lengths = np.repeat(rng.randint(1, T // 2 + 1, GRPO["prompts"]), GRPO["group_size"])
    lengths[0] = 1  # the shortest prompt there is
    for row in range(N):  # a group shares its prompt where their lengths allow it
        first = row - row % GRPO["group_size"]
        ids[row, : lengths[row]] = ids[first, : lengths[row]]
    rewards = rng.uniform(0, 1, N).round(3)
    old, reference = perturbed(weights, rng, 0.03), perturbed(weights, rng, 0.06)
    targets = np.stack([natural, 1 - natural], 1).astype(np.float32)
    t = torch.tensor

    def work(dtype):
        parts = {
            "lm": language_model(weights, shape, t(batches[0]), t(batches[0][:, : T - 3]), dtype),
            "adamw": adamw(weights, shape, [t(batch) for batch in batches[1:]], dtype),
            "reward": reward(weights, shape, t(reward_ids), targets, dtype),
            "grpo": grpo(weights, old, reference, shape, t(ids), lengths, rewards, TEMPERATURE[name], dtype),
        }
        arrays = {key: value for found, _ in parts.values() for key, value in found.items()}
        return arrays, {part: scalars for part, (_, scalars) in parts.items()}

    arrays, scalars = work(torch.float64)
    single, single_scalars = work(torch.float32)
    errors = {key: relative_error(key_bias_removed(key, single[key]), key_bias_removed(key, value)) for key, value in arrays.items()}
    worst = sorted(errors.items(), key=lambda item: -item[1])[:6]
    print(name, "gradient norms", scalars["adamw"]["norms"], "clip", scalars["grpo"]["clip_low"], scalars["grpo"]["clip_high"])
    print("  worst float32:", worst)
    print("  float32 scalars off by", {
        part: max(abs(a - b) for a, b in zip(flat(scalars[part]), flat(single_scalars[part]))) for part in scalars
    })
    description = {
        "torch": torch.__version__,
        "seed": seed,
        "config": shape,
        "lm": {"batch": batches[0].tolist(), "short_length": T - 3, **scalars["lm"]},
        "adamw": {**ADAMW, "batches": [batch.tolist() for batch in batches[1:]], **scalars["adamw"]},
        "reward": {"ids": reward_ids.tolist(), "targets": targets.tolist(), **scalars["reward"]},
        "grpo": {
            **GRPO,
            "temperature": TEMPERATURE[name],
            "ids": ids.tolist(),
            "prompt_lengths": lengths.tolist(),
            "rewards": rewards.tolist(),
            **scalars["grpo"],
        },
        "torch_float32_error": {part: max(e for key, e in errors.items() if key.startswith(part)) for part in scalars},
    }
    stored = {f"weights.{key}": value for key, value in weights.items()} | arrays
    save_file({k: np.ascontiguousarray(v, dtype=np.float32) for k, v in stored.items()}, OUT / f"{name}.safetensors")
    (OUT / f"{name}.safetensors").chmod(0o644)
    (OUT / f"{name}.json").write_text(json.dumps(description) + "\n")


def flat(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flat(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def make_optimizer():
    """AdamW alone, on given gradients: what end-to-end steps cannot show, tiny and huge gradients and many steps."""
    rng = np.random.RandomState(7)
    start = {"matrix": rng.standard_normal((3, 5)), "vector": rng.standard_normal(5), "table": rng.standard_normal((2, 2))}
    start = {name: value.astype(np.float32) for name, value in start.items()}
    rates = [0.05 * (1 + step % 5) for step in range(12)]  # large, so that small mistakes show in the weights
    scales = [1, 1, 1e-4, 1e-7, 10, 1000, 0.1, 0, 1, 1, 1e-2, 1]
    p = tensors(start, torch.float64, lambda _: True)
    optimizer = torch.optim.AdamW(
        [{"params": [p["matrix"], p["table"]], "weight_decay": 0.1}, {"params": [p["vector"]], "weight_decay": 0.0}],
        lr=0.0, betas=(0.9, 0.95), eps=1e-8,
    )
    arrays, norms = {f"start.{name}": value for name, value in start.items()}, []
    for step, (rate, scale) in enumerate(zip(rates, scales)):
        for group in optimizer.param_groups:
            group["lr"] = rate
        for name, w in p.items():
            gradient = (scale * rng.standard_normal(w.shape)).astype(np.float32)
            arrays[f"gradient.{step}.{name}"] = gradient
            w.grad = torch.tensor(gradient, dtype=torch.float64)
        norms.append(torch.nn.utils.clip_grad_norm_(list(p.values()), 1.0).item())
        optimizer.step()
        arrays |= {f"after.{step}.{name}": w.detach().numpy().astype(np.float32) for name, w in p.items()}
    save_file({k: np.ascontiguousarray(v) for k, v in arrays.items()}, OUT / "optimizer.safetensors")
    (OUT / "optimizer.safetensors").chmod(0o644)
    facts = {"learning_rates": rates, "beta1": 0.9, "beta2": 0.95, "weight_decay": 0.1, "grad_clip": 1.0, "norms": norms}
    (OUT / "optimizer.json").write_text(json.dumps(facts) + "\n")


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    OUT.mkdir(exist_ok=True)
    for number, (name, shape) in enumerate(SHAPES.items()):
        make(name, shape, seed=100 + number)
    make_optimizer()
    total = sum(path.stat().st_size for path in OUT.iterdir())
    print(f"{total / 1e6:.2f} MB")
    assert total < 1e6
