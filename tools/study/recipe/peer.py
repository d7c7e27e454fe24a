"""What the reference recipe learns in PyTorch: the GPT of the benchmark's peers (../../bench/peers/gpt.py) with nanoGPT's settings
for a processor, on letters, for the processor seconds that `npm run study:recipe` gives its variants. One thread; the schedule
fits the steps, which a few timed steps decide; the whole held-out tenth is read in windows side by side. Prints JSON.

    python tools/study/recipe/peer.py TEXT [--seconds 110 | --steps 2000] [--seed 1] [--compile]
"""

import argparse
import json
import math
import pathlib
import sys
import time

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench/peers"))
from gpt import GPT  # noqa: E402

BATCH, RATE, FINAL, WARMUP = 12, 1e-3, 1e-4, 100
SHAPE = {"n_layer": 4, "n_head": 4, "n_embd": 128, "block_size": 64, "bias": False}
# Steps of a turn, and turns of which the quickest counts: a busy machine makes steps slower.
TIMED, TURNS = 20, 6


def batch(ids):
    T = SHAPE["block_size"]
    starts = torch.randint(len(ids) - T, (BATCH,))
    windows = torch.stack([ids[i : i + T + 1] for i in starts])
    return windows[:, :-1].contiguous(), windows[:, 1:].contiguous()


def rate_at(step, steps):
    if step < WARMUP:
        return RATE * (step + 1) / (WARMUP + 1)
    way = (step - WARMUP) / max(1, steps - WARMUP)
    return FINAL + 0.5 * (1 + math.cos(math.pi * way)) * (RATE - FINAL)


def trainer(ids, vocab_size, seed, compiled):
    """The network, and a function that takes a step at a learning rate."""
    torch.manual_seed(seed)
    model = GPT({**SHAPE, "vocab_size": vocab_size})
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.99), fused=True)
    forward = torch.compile(model) if compiled else model

    def step(rate):
        for group in optimizer.param_groups:
            group["lr"] = rate
        x, y = batch(ids)
        forward(x, y).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return model, step


def seconds_per_step(step):
    step(1e-8)
    quickest = math.inf
    for _ in range(TURNS):
        before = time.process_time()
        for _ in range(TIMED):
            step(1e-8)
        quickest = min(quickest, (time.process_time() - before) / TIMED)
    return quickest


@torch.no_grad()
def held_out(model, ids):
    """Nats per character over all of it; the last, shorter window too."""
    T = SHAPE["block_size"]
    count = (len(ids) - 1) // T
    x, y = ids[: count * T].view(-1, T), ids[1 : count * T + 1].view(-1, T)
    nats = sum(model(x[i : i + 64], y[i : i + 64]).item() * y[i : i + 64].numel() for i in range(0, count, 64))
    rest = ids[count * T :]
    if len(rest) > 1:
        nats += model(rest[None, :-1], rest[None, 1:]).item() * (len(rest) - 1)
    return nats / (len(ids) - 1)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("text")
    arguments.add_argument("--seconds", type=float, default=110)
    arguments.add_argument("--steps", type=int)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--compile", action="store_true")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)

    text = pathlib.Path(given.text).read_text(encoding="utf8")
    places = {character: place for place, character in enumerate(sorted(set(text)))}
    ids = torch.from_numpy(np.array([places[character] for character in text], dtype=np.int64))
    cut = int(len(ids) * 0.9)
    train, held = ids[:cut], ids[cut:]

    each = seconds_per_step(trainer(train, len(places), 0, given.compile)[1])
    steps = given.steps or max(1, round(given.seconds / each))
    print(f"{each:.4f} s a step, {steps} steps", file=sys.stderr, flush=True)
    model, step = trainer(train, len(places), given.seed, given.compile)
    step(1e-8)
    before = time.process_time()
    for number in range(steps):
        step(rate_at(number, steps))
    taken = time.process_time() - before
    print(
        json.dumps(
            {
                "torch": torch.__version__,
                "compiled": given.compile,
                "seed": given.seed,
                "seconds_per_step": each,
                "steps": steps,
                "seconds_of_training": taken,
                "parameters": sum(p.numel() for p in model.parameters()),
                "nats_per_character": held_out(model.eval(), held),
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
