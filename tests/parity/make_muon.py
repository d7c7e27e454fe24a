"""Makes fixtures/muon: PyTorch's own `torch.optim.Muon` on given gradients, for muon.test.ts.

    /tmp/parity-venv/bin/pip install torch numpy safetensors && /tmp/parity-venv/bin/python tests/parity/make_muon.py

PyTorch rounds to bfloat16 while it makes a matrix orthogonal; here that is float64, so that the rule is compared and not
its rounding. A parameter that is several matrices one below another (GPT-2's queries, keys and values) is as many
parameters to PyTorch.
"""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file

OUT = Path(__file__).parent / "fixtures"
# Tall, square, wide, three squares in one, and one whose gradient is zero at first.
SHAPES = {"tall": (24, 8), "square": (8, 8), "wide": (8, 24), "joined": (24, 8), "still": (8, 8)}
JOINED = {"joined": 3}
RATES = [0.02, 0.03, 0.01, 0.002]
DECAY = 0.1

torch.bfloat16 = torch.float64
generator = torch.Generator().manual_seed(1)
random = lambda shape: torch.randn(shape, generator=generator, dtype=torch.float64)

start = {name: random(shape).float().double() for name, shape in SHAPES.items()}
parts = {
    name: [torch.nn.Parameter(part.clone()) for part in value.chunk(JOINED.get(name, 1))] for name, value in start.items()
}
optimizer = torch.optim.Muon([part for each in parts.values() for part in each], lr=RATES[0], weight_decay=DECAY)
arrays = {f"start.{name}": value for name, value in start.items()}
for step, rate in enumerate(RATES):
    optimizer.param_groups[0]["lr"] = rate
    for name, shape in SHAPES.items():
        gradient = (random(shape) * 10.0 ** (step - 2)).float().double()
        if name == "still" and step == 0:
            gradient = torch.zeros_like(gradient)
        arrays[f"gradient.{step}.{name}"] = gradient
        for part, piece in zip(parts[name], gradient.chunk(JOINED.get(name, 1))):
            part.grad = piece.clone()
    optimizer.step()
    for name in SHAPES:
        arrays[f"after.{step}.{name}"] = torch.cat([part.detach() for part in parts[name]])

save_file({name: np.ascontiguousarray(value.numpy().astype(np.float32)) for name, value in arrays.items()}, OUT / "muon.safetensors")
facts = {"torch": torch.__version__, "rates": RATES, "weight_decay": DECAY, "joined": JOINED}
(OUT / "muon.json").write_text(json.dumps(facts) + "\n")
