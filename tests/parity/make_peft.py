"""Adapters as PEFT makes and saves them, on the tiny models of make_llama.py and make_foreign.py, and what it computes with them.

Run by hand when the fixtures have to change; what it writes (below 100 kB) is committed, so tests need no Python:

    python3 -m venv /tmp/peers-venv && /tmp/peers-venv/bin/pip install torch numpy transformers peft
    /tmp/peers-venv/bin/python tests/parity/make_peft.py

Loss, gradients and merged loss are worked out in float64; float32's distance from them is printed. With three folders it
checks an export instead: what transformers computes with the merged one is what PEFT computes with the adapters on the base.

    /tmp/peers-venv/bin/python tests/parity/make_peft.py BASE ADAPTERS MERGED
"""

import json
import shutil
import sys
from pathlib import Path

import peft
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

FIXTURES = Path(__file__).parent / "fixtures"
OUT = FIXTURES / "peft"
RANK, ALPHA = 3, 12
ATTENTION = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"]
FEED_FORWARD = ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]
MODELS = {
    # name: folder of the base, matrices that are adapted
    "llama": ("llama/llama", ATTENTION + FEED_FORWARD),
    "qwen2": ("llama/qwen2", ATTENTION),
    "gpt2": ("foreign/gpt2", ["attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"]),
}


def base(folder, **settings):
    # Verisim's GELU is the exact one; what a model of Llama's family makes of the setting is nothing.
    exact = {"activation_function": "gelu"} if "gpt2" in str(folder) else {}
    return AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, **exact, **settings
    ).eval()


def loss_of(model, ids):
    logits = model(ids[:, :-1]).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def evaluate(model, ids):
    model.zero_grad()
    loss = loss_of(model, ids)
    loss.backward()
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    return loss.item(), {name.replace(".default", ""): p.grad.detach().clone() for name, p in trained.items()}


def make(name, folder, targets):
    torch.manual_seed(1)
    settings = LoraConfig(
        r=RANK, lora_alpha=ALPHA, target_modules=targets, task_type="CAUSAL_LM", fan_in_fan_out=name == "gpt2"
    )
    model = get_peft_model(base(FIXTURES / folder), settings)
    for key, p in model.named_parameters():
        if "lora_B" in key:  # zeros would hide the other factor
            torch.nn.init.normal_(p, 0.0, 0.3)
    model.peft_config["default"].base_model_name_or_path = folder
    model.save_pretrained(OUT / name)
    (OUT / name / "README.md").unlink(missing_ok=True)
    ids = torch.randint(0, model.config.vocab_size, (3, 9))
    single, single_gradients = evaluate(model, ids)
    exact = PeftModel.from_pretrained(base(FIXTURES / folder), OUT / name, is_trainable=True).double()
    loss, gradients = evaluate(exact, ids)
    apart = max(((single_gradients[key] - g).abs().max() / g.abs().max()).item() for key, g in gradients.items())
    with torch.no_grad():
        merged = loss_of(exact.merge_and_unload(), ids).item()
    print(f"{name}: loss {loss:.4f}, merged {merged:.4f}, float32 is off by {abs(single - loss):.0e}, gradients {apart:.0e}")
    save_file({key: g.float().contiguous() for key, g in gradients.items()}, OUT / f"{name}.safetensors")
    return {"base": folder, "ids": ids.tolist(), "loss": loss, "merged": merged}


def check(base_folder, adapters, merged_folder):
    torch.manual_seed(1)
    merged = base(Path(merged_folder))
    model = PeftModel.from_pretrained(base(Path(base_folder)), adapters)
    ids = torch.randint(0, merged.config.vocab_size, (2, 7))
    with torch.no_grad():
        plain, adapted, whole = (m(ids).logits for m in (base(Path(base_folder)), model, merged))
    apart = lambda a, b: ((a - b).abs().max() / b.abs().max()).item()
    print(f"adapters against merged: {apart(adapted, whole):.1e}; against the base: {apart(adapted, plain):.1e}")
    assert apart(adapted, whole) < 1e-5 < apart(adapted, plain)


if __name__ == "__main__":
    torch.set_num_threads(1)
    if len(sys.argv) == 4:
        check(*sys.argv[1:])
        sys.exit()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    facts = {name: make(name, *model) for name, model in MODELS.items()}
    facts["versions"] = {"torch": torch.__version__, "peft": peft.__version__}
    (OUT / "peft.json").write_text(json.dumps(facts) + "\n")
    for path in OUT.rglob("*.safetensors"):
        path.chmod(0o644)
    total = sum(path.stat().st_size for path in OUT.rglob("*") if path.is_file())
    print(f"{total / 1e3:.0f} kB, peft {peft.__version__}")
    assert total < 100e3
