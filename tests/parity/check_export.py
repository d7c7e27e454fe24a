"""Whether other programs compute with an exported model what PyTorch computes with the original.

Run by hand when the export changes. It exports the models of make_foreign.py and make_llama.py with the real command, loads them in
transformers and with torch.load, compares logits, and notes the SHA-256 of every file it has so verified: a test then
holds the export to these very bytes, without Python.

    python3 -m venv /tmp/peers-venv && /tmp/peers-venv/bin/pip install torch numpy transformers
    /tmp/peers-venv/bin/python tests/parity/check_export.py
"""

import hashlib
import json
import pickle
import subprocess
import tempfile
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file
from make_foreign import CHARS, GPT, GPTConfig

ROOT = Path(__file__).parents[2]
FOREIGN = Path(__file__).parent / "fixtures" / "foreign"
LLAMA = Path(__file__).parent / "fixtures" / "llama"
TOLERANCE = 1e-6

FACTS = json.loads((FOREIGN / "foreign.json").read_text())


def export(model, format, folder):
    arguments = ["export", str(model), "--format", format, "--out_dir", str(folder)]
    subprocess.run(["node", str(ROOT / "scripts/verisim.mjs"), *arguments], check=True, stdout=subprocess.DEVNULL)
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files_of(format)}


def files_of(format):
    return ["config.json", "model.safetensors"] if format == "huggingface" else ["ckpt.pt"]


def hugging_face(folder, ids):
    model, loading = transformers.GPT2LMHeadModel.from_pretrained(folder, output_loading_info=True)
    assert not any(loading.values()), loading
    assert model.lm_head.weight.data_ptr() == model.transformer.wte.weight.data_ptr()
    written = model.generate(ids[:, :2], max_new_tokens=4, do_sample=False, pad_token_id=0)
    assert written.shape[1] == 6
    return model.double().eval()(ids).logits


def llama(name, folder):
    """What transformers computes with the export, against what it computed with its own folder (make_llama.py)."""
    hashes = export(LLAMA / name, "huggingface", folder)
    ids = torch.tensor(json.loads((LLAMA / "llama.json").read_text())[name]["ids"])
    model, loading = transformers.AutoModelForCausalLM.from_pretrained(
        folder, output_loading_info=True, attn_implementation="eager"
    )
    assert not any(loading.values()), loading
    with torch.no_grad():
        logits = model.double().eval()(ids[:, :-1]).logits
    expected = load_file(LLAMA / f"{name}.safetensors")["logits"].double()
    difference = ((logits - expected).abs().max() / expected.abs().max()).item()
    print(f"{name} as huggingface: largest difference {difference:.1e}")
    assert difference < TOLERANCE
    return hashes


def nanogpt(folder, ids):
    checkpoint = torch.load(folder / "ckpt.pt")  # weights_only: nothing but tensors and plain data in it
    torch.load(folder / "ckpt.pt", mmap=True)
    model = GPT(GPTConfig(**checkpoint["model_args"]))
    model.load_state_dict(checkpoint["model"])  # strict: every name, no other
    return model.double()(ids)


def main():
    verified = {"torch": torch.__version__, "transformers": transformers.__version__, "files": {}}
    with tempfile.TemporaryDirectory() as temporary:
        for model, format, load in (
            ("nanogpt.pt", "huggingface", hugging_face),
            ("half.pt", "huggingface", hugging_face),
            ("gpt2", "huggingface", hugging_face),
            ("nanogpt.pt", "nanogpt", nanogpt),
            ("half.pt", "nanogpt", nanogpt),
            ("reward.pt", "nanogpt", nanogpt),
        ):
            folder = Path(temporary) / f"{model}-{format}"
            hashes = export(FOREIGN / model, format, folder)
            facts = FACTS[model.removesuffix(".pt")]
            with torch.no_grad():
                output = load(folder, torch.tensor(facts["ids"]))
            difference = (output - torch.tensor(facts["output"])).abs().max().item()
            print(f"{model} as {format}: largest difference {difference:.1e}")
            assert difference < TOLERANCE
            if model.endswith(".pt"):  # beside them lies the meta.pkl of their characters
                meta = pickle.loads((folder / "meta.pkl").read_bytes())
                assert [meta["itos"][i] for i in range(meta["vocab_size"])] == CHARS
            verified["files"][f"{model} {format}"] = hashes
        for name in ("llama", "llama3", "linear", "qwen2", "qwen3", "nanochat", "nanochat-tied"):
            verified["files"][f"../llama/{name} huggingface"] = llama(name, Path(temporary) / f"llama-{name}")
    (FOREIGN / "exported.json").write_text(json.dumps(verified, indent=2) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
