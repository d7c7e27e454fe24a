"""PyTorch's train step, and the guide's way of making reward data."""

import contextlib

import numpy as np
import torch

from gpt import GPT


def random_tokens(count, vocab_size):
    return np.random.default_rng(1).integers(0, vocab_size, count, dtype=np.uint16)


def autocast(precision):
    return torch.autocast("cpu", dtype=torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()


class Transformers(torch.nn.Module):
    """A network of Transformers with the interface of GPT: mean cross-entropy of ids and the tokens after them."""

    def __init__(self, shape):
        super().__init__()
        from writing import language_model, with_adapters

        self.model = with_adapters(language_model(shape), shape)
        self.block_size = shape["block_size"]

    def forward(self, ids, targets):
        # `shift_labels`: the tokens after them, as they are.
        return self.model(input_ids=ids, labels=targets, shift_labels=targets, use_cache=False).loss


def network(shape):
    """A fresh network; with adapters only these are to be trained."""
    return (Transformers if shape.get("architecture") in ("llama", "modern") else GPT)(shape)


def train_step(work, contender):
    """One step of nanoGPT's loop: a batch, forward, backward, clip, AdamW, and the loss read back."""
    model = network(work["model"])
    T, B = model.block_size, work["batch"]
    tokens = random_tokens(work["corpus"], work["model"]["vocab_size"])
    parameters = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    # One kernel for all parameters rather than a loop over them.
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)
    device = torch.get_default_device()
    forward = torch.compile(model) if contender == "pytorch-compile" else model

    def iterate():
        starts = torch.randint(len(tokens) - T, (B,), device="cpu")
        x = torch.stack([torch.from_numpy(tokens[i : i + T].astype(np.int64)) for i in starts]).to(device)
        y = torch.stack([torch.from_numpy(tokens[i + 1 : i + 1 + T].astype(np.int64)) for i in starts]).to(device)
        with autocast(work["precision"]):
            loss = forward(x, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item()

    return iterate


def reward_data(work, _contender):
    """One passage after another: a natural beginning of random length, the rest written without a cache."""
    model = GPT(work["model"]).eval()
    T = model.block_size
    tokens = random_tokens(work["corpus"], work["model"]["vocab_size"])
    random = np.random.default_rng(2)

    def iterate():
        x = np.empty((work["samples"], T), dtype=np.uint16)
        y = np.empty((work["samples"], 2), dtype=np.float32)
        for sample in range(work["samples"]):
            crossover = int(random.integers(1, T))
            start = int(random.integers(0, len(tokens) - T))
            prefix = torch.from_numpy(tokens[start : start + crossover].astype(np.int64))[None]
            x[sample] = model.write(prefix, T - crossover)[0].numpy()
            y[sample] = [crossover / T, (T - crossover) / T]
        return x, y

    return iterate
