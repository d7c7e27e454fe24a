"""Models and vocabularies as other programs write them: PyTorch checkpoints, a Hugging Face folder.

Run by hand when the fixtures have to change; what it writes (below 200 kB) is committed, so tests need no Python:

    python3 -m venv /tmp/peers-venv && /tmp/peers-venv/bin/pip install torch numpy transformers
    /tmp/peers-venv/bin/python tests/parity/make_foreign.py

The network is nanoGPT's, written with PyTorch's own layers, so that names and shapes are what its state_dict gives.
Each checkpoint's logits (or probabilities) are in foreign.json, worked out in float64 from the numbers as stored.
"""

import hashlib
import json
import math
import pickle
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

OUT = Path(__file__).parent / "fixtures" / "foreign"
CHARS = ["\n", " ", "!", "a", "b", "c", "d", "e", "é", "中", "\U0001f600"]


@dataclass
class GPTConfig:
    block_size: int = 8
    vocab_size: int = len(CHARS)
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 12
    dropout: float = 0.0
    bias: bool = True
    mode: str = "generator"
    reward_head_hidden_dim: int = 10


# The specification's and nanoGPT's class lives in a module called model; its pickles name it so.
GPTConfig.__module__ = "model"
sys.modules["model"] = types.ModuleType("model")
sys.modules["model"].GPTConfig = GPTConfig


class LayerNorm(nn.Module):
    def __init__(self, width, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Attention(nn.Module):
    def __init__(self, config, buffer):
        super().__init__()
        C = config.n_embd
        self.c_attn = nn.Linear(C, 3 * C, bias=config.bias)
        self.c_proj = nn.Linear(C, C, bias=config.bias)
        self.n_head = config.n_head
        if buffer:  # what nanoGPT registers where there is no flash attention
            T = config.block_size
            self.register_buffer("bias", torch.tril(torch.ones(T, T)).view(1, 1, T, T))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (p.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for p in self.c_attn(x).split(C, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, config, buffer):
        super().__init__()
        self.ln_1, self.attn = LayerNorm(config.n_embd, config.bias), Attention(config, buffer)
        self.ln_2, self.mlp = LayerNorm(config.n_embd, config.bias), MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config, buffer=False):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                wpe=nn.Embedding(config.block_size, config.n_embd),
                h=nn.ModuleList([Block(config, buffer) for _ in range(config.n_layer)]),
                ln_f=LayerNorm(config.n_embd, config.bias),
            )
        )
        C, R = config.n_embd, config.reward_head_hidden_dim
        if config.mode == "generator":
            self.lm_head = nn.Linear(C, config.vocab_size, bias=False)
            self.transformer.wte.weight = self.lm_head.weight
        else:
            self.reward_head = nn.Sequential(nn.Linear(C, R), nn.ReLU(), nn.Linear(R, 2), nn.Softmax(dim=-1))
        for name, p in self.named_parameters():  # far from initialisation, so that every number matters
            is_norm = "ln_" in name and name.endswith("weight")
            nn.init.normal_(p, 1.0 if is_norm else 0.0, 0.2 if p.dim() == 1 else 1 / math.sqrt(p.shape[-1]))

    def forward(self, ids):
        x = self.transformer.wte(ids) + self.transformer.wpe(torch.arange(ids.shape[1]))
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        return self.lm_head(x) if self.config.mode == "generator" else self.reward_head(x[:, -1])


def ids_for(config):
    return torch.randint(0, config.vocab_size, (3, config.block_size))


def model_args(config):
    keys = ("n_layer", "n_head", "n_embd", "block_size", "bias", "vocab_size", "dropout")
    return {key: getattr(config, key) for key in keys}


def exact(model, ids):
    """The output in float64; the model's numbers are as stored, and come back as state."""
    state = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        return model.double()(ids), state


FACTS = {}


def rounded(tensor):
    """Nine digits tell every float32 apart."""
    return np.vectorize(lambda x: float(f"{x:.9g}"))(tensor.numpy()).tolist()


def is_weight(name):
    return not (name.endswith(".attn.bias") or name == "lm_head.weight")


def note(name, config, ids, output, state):
    """@param state the weights as they were saved, under nanoGPT's names and in its layout"""
    FACTS[name] = {
        "config": {key: getattr(config, key) for key in GPTConfig.__dataclass_fields__},
        "ids": ids.tolist(),
        "output": rounded(output),
        # SHA-256 of each tensor's float32 values in row-major order, the first 16 digits.
        "tensors": {
            key: hashlib.sha256(value.float().contiguous().numpy().tobytes()).hexdigest()[:16]
            for key, value in state.items()
            if is_weight(key)
        },
    }


def torch_checkpoints():
    # As nanoGPT's train.py saves it: compiled (hence the prefix), optimizer, arguments, losses, configuration.
    config = GPTConfig()
    model = GPT(config, buffer=True)
    compiled = {f"_orig_mod.{name}": value for name, value in model.state_dict().items()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model(ids_for(config)).sum().backward()
    optimizer.step()
    checkpoint = {
        "model": compiled,
        "optimizer": optimizer.state_dict(),
        "model_args": model_args(config),
        "iter_num": 2000,
        "best_val_loss": torch.tensor(1.4697),
        "config": {"dataset": "letters", "out_dir": "out", "learning_rate": 1e-3, "compile": True, "bias": True},
    }
    torch.save(checkpoint, OUT / "nanogpt.pt")
    ids = ids_for(config)
    note("nanogpt", config, ids, *exact(model, ids))

    # As the specification saves it: the configuration as an object, half the precision, no biases.
    for name, dtype in (("half", torch.float16), ("bfloat16", torch.bfloat16)):
        config = GPTConfig(bias=False, n_layer=1)
        model = GPT(config).to(dtype)
        torch.save({"model": model.state_dict(), "config": config}, OUT / f"{name}.pt")
        ids = ids_for(config)
        note(name, config, ids, *exact(model, ids))

    # A reward model of the specification; its protocol is Python's newest.
    config = GPTConfig(mode="reward", n_layer=1)
    model = GPT(config)
    torch.save({"model": model.state_dict(), "config": config}, OUT / "reward.pt", pickle_protocol=5)
    ids = ids_for(config)
    note("reward", config, ids, *exact(model, ids))

    # What must be refused: a head of its own, weights alone, PyTorch's format before 1.6, double precision.
    config = GPTConfig(n_layer=1, n_embd=4, n_head=1, bias=False)
    model = GPT(config)
    state = {**model.state_dict(), "lm_head.weight": torch.zeros(config.vocab_size, 4)}
    torch.save({"model": state, "model_args": model_args(config)}, OUT / "untied.pt")
    torch.save(model.state_dict(), OUT / "weights-only.pt")
    torch.save({"model": model.double().state_dict(), "model_args": model_args(config)}, OUT / "double.pt")
    torch.save([1, 2], OUT / "legacy.pt", _use_new_zipfile_serialization=False)


def hugging_face():
    """transformers' own GPT-2, with the activation that OpenAI's weights were trained with."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=len(CHARS), n_positions=8, n_embd=12, n_layer=2, n_head=2, activation_function="gelu_new",
        bos_token_id=None, eos_token_id=None, resid_pdrop=0.1, embd_pdrop=0.1, attn_pdrop=0.1,
    )
    model = GPT2LMHeadModel(config).eval()
    for name, p in model.named_parameters():
        is_norm = ".ln_" in name and name.endswith("weight")
        nn.init.normal_(p, 1.0 if is_norm else 0.0, 0.2 if p.dim() == 1 else 1 / math.sqrt(12))
    model.save_pretrained(OUT / "gpt2")
    (OUT / "gpt2" / "model.safetensors").chmod(0o644)
    ids = torch.randint(0, len(CHARS), (3, 8))
    outputs = {}
    for activation in ("gelu_new", "gelu"):
        model = GPT2LMHeadModel.from_pretrained(OUT / "gpt2", activation_function=activation).double().eval()
        with torch.no_grad():
            outputs[activation] = model(ids).logits
    ours = GPTConfig(dropout=0.1)
    turned = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    state = {name: w.t() if name.endswith(turned) else w for name, w in model.float().state_dict().items()}
    note("gpt2", ours, ids, outputs["gelu"], state)
    FACTS["gpt2"]["output_gelu_new"] = rounded(outputs["gelu_new"])
    difference = (outputs["gelu"] - outputs["gelu_new"]).abs().max().item()
    print("gelu against gelu_new, largest difference of a logit:", difference, "of", outputs["gelu"].abs().max().item())


if __name__ == "__main__":
    torch.manual_seed(11)
    torch.set_num_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    torch_checkpoints()
    hugging_face()
    meta = {"vocab_size": len(CHARS), "itos": dict(enumerate(CHARS)), "stoi": {c: i for i, c in enumerate(CHARS)}}
    (OUT / "meta.pkl").write_bytes(pickle.dumps(meta))
    FACTS["torch"] = torch.__version__
    (OUT / "foreign.json").write_text(json.dumps(FACTS) + "\n")
    total = sum(path.stat().st_size for path in OUT.rglob("*") if path.is_file())
    print(f"{total / 1e3:.0f} kB")
    assert total < 200e3
