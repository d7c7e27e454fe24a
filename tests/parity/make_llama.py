"""Tiny random models of every supported family that Hugging Face's files hold, and what transformers computes with them.

Run by hand when the fixtures have to change; what it writes (below 500 kB) is committed, so tests need no Python:

    python3 -m venv /tmp/peers-venv && /tmp/peers-venv/bin/pip install torch numpy transformers
    /tmp/peers-venv/bin/python tests/parity/make_llama.py

Each folder is what `save_pretrained` writes: one file or shards, float32, float16 or bfloat16. Logits, loss, gradients and
the greedy tokens are worked out in float64 from the numbers as stored; float32's distance from them is printed.
"""

import json
import shutil
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, NanoChatConfig, Qwen2Config, Qwen3Config

OUT = Path(__file__).parent / "fixtures" / "llama"
BATCH, LENGTH = 3, 20
PROMPT, GREEDY = 6, 64

common = dict(
    vocab_size=53, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
    max_position_embeddings=128, bos_token_id=None, eos_token_id=None, pad_token_id=None,
)
llama3 = dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64,
    rope_theta=500.0,
)
FAMILIES = {
    # name: configuration, type of the stored numbers, size of a shard
    "llama": (LlamaConfig(**common, num_key_value_heads=2, rms_norm_eps=1e-5), torch.float32, "1GB"),
    "llama3": (
        LlamaConfig(**common, num_key_value_heads=1, tie_word_embeddings=True, head_dim=8, rope_parameters=llama3),
        torch.float32, "1GB",
    ),
    "linear": (
        LlamaConfig(
            **common, num_key_value_heads=4, attention_bias=True,
            rope_parameters=dict(rope_type="linear", factor=4.0, rope_theta=1000.0),
        ),
        torch.float32, "16KB",
    ),
    "qwen2": (
        Qwen2Config(
            **common, num_key_value_heads=2, tie_word_embeddings=True,
            rope_parameters=dict(rope_type="default", rope_theta=1000000.0),
        ),
        torch.bfloat16, "6KB",
    ),
    "qwen3": (
        Qwen3Config(**common, num_key_value_heads=2, tie_word_embeddings=True, head_dim=8), torch.float16, "1GB",
    ),
    "nanochat": (NanoChatConfig(**common), torch.float32, "1GB"),
    "nanochat-tied": (
        NanoChatConfig(
            **common, num_key_value_heads=2, head_dim=8, tie_word_embeddings=True, final_logit_softcapping=4.0,
            rms_norm_eps=1e-5, rope_parameters=dict(rope_type="default", rope_theta=1000.0),
        ),
        torch.bfloat16, "6KB",
    ),
}


def randomise(model):
    """Far from initialisation, so that every number matters and the greedy token is never a close race."""
    for name, p in model.named_parameters():
        is_norm = "norm" in name
        torch.nn.init.normal_(p, 1.0 if is_norm else 0.0, 0.2 if p.dim() == 1 else p.shape[-1] ** -0.5)
        if name.endswith(("o_proj.weight", "down_proj.weight", "fc2.weight")):
            p.data *= 4  # more than the token itself, or a tied head would repeat it for ever
        if name.endswith("lm_head.weight"):
            p.data *= 2
    model.tie_weights()


def greedy(model, ids):
    """64 tokens, each the likeliest, without a cache; and the smallest distance to the second likeliest."""
    closest = float("inf")
    for _ in range(GREEDY):
        top = model(ids).logits[:, -1].topk(2).values
        closest = min(closest, (top[:, 0] - top[:, 1]).min().item())
        ids = torch.cat([ids, model(ids).logits[:, -1:].argmax(-1)], 1)
    return ids, closest


def evaluate(model, ids):
    model.zero_grad()
    logits = model(ids[:, :-1]).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    return logits.detach(), loss.item(), {name: p.grad.detach() for name, p in model.named_parameters()}


def make(name, config, dtype, shard):
    """The first seed whose greedy texts say something: no close race, and not the same token for ever."""
    for seed in range(100):
        torch.manual_seed(seed)
        facts, closest, variety = attempt(name, config, dtype, shard)
        if closest > 1e-3 and variety >= 6:
            print(f"  seed {seed}, closest race {closest:.1e}, at least {variety} different tokens")
            return facts


def attempt(name, config, dtype, shard):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    randomise(model)
    model.to(dtype).save_pretrained(folder, max_shard_size=shard)
    (folder / "generation_config.json").unlink(missing_ok=True)
    stored = lambda: AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()

    ids = torch.randint(0, config.vocab_size, (BATCH, LENGTH + 1))
    exact = stored().double()
    logits, loss, gradients = evaluate(exact, ids)
    single_logits, single_loss, single = evaluate(stored(), ids)
    with torch.no_grad():
        tokens, closest = greedy(exact, ids[:, :PROMPT])
    apart = lambda a, b: ((a - b).abs().max() / b.abs().max()).item()
    print(
        f"{name}: loss {loss:.4f}, float32 is off by {abs(single_loss - loss) / loss:.0e}, in logits {apart(single_logits, logits):.0e},",
        f"in gradients {max(apart(single[key], gradients[key]) for key in gradients):.0e}",
    )
    variety = min(len(set(row.tolist())) for row in tokens[:, PROMPT:])
    arrays = {"logits": logits, **{f"gradient.{key}": value for key, value in gradients.items()}}
    save_file({key: value.float().contiguous() for key, value in arrays.items()}, OUT / f"{name}.safetensors")
    return {"ids": ids.tolist(), "loss": loss, "prompt": PROMPT, "greedy": tokens.tolist()}, closest, variety


if __name__ == "__main__":
    torch.set_num_threads(1)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    facts = {name: make(name, *family) for name, family in FAMILIES.items()}
    facts["versions"] = {"torch": torch.__version__, "transformers": transformers.__version__}
    (OUT / "llama.json").write_text(json.dumps(facts) + "\n")
    for path in OUT.rglob("*.safetensors"):
        path.chmod(0o644)
    total = sum(path.stat().st_size for path in OUT.rglob("*") if path.is_file())
    print(f"{total / 1e3:.0f} kB, transformers {transformers.__version__}")
    assert total < 500e3
