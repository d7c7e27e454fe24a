"""Whether llama.cpp reads, cuts a text and writes with an exported GGUF file as Verisim does.

Run by hand when the export changes. It exports tiny models with the real command, runs them in llama.cpp (the wheel
`xllamacpp` has it inside), and notes the SHA-256 of every file it has so verified: a test then holds the export to
these very bytes. For each tokenizer, llama.cpp's ids of all texts of pretrained-cases.json are compared with those of
Python's `tokenizers`, and the 32 likeliest tokens after a prompt with those that Verisim writes.

    python3 -m venv /tmp/llamacpp-venv && /tmp/llamacpp-venv/bin/pip install numpy safetensors xllamacpp==2026.10.11549
    /tmp/llamacpp-venv/bin/python tests/parity/check_gguf.py
    /tmp/llamacpp-venv/bin/python tests/parity/check_gguf.py MODEL PROMPT    any model, larger ones too; notes nothing
"""

import hashlib
import json
import pickle
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import urllib.request
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
import xllamacpp

ROOT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
CASES = json.loads((ROOT / "tests/engine/tokenizer/pretrained-cases.json").read_text())
LENGTH = 32
PROMPT = "Hello\nWORLD"


def verisim(*arguments):
    command = ["node", str(ROOT / "scripts/verisim.mjs"), *map(str, arguments), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def export(model, folder, outtype):
    verisim("export", model, "--format", "gguf", "--outtype", outtype, "--out_dir", folder)
    (file,) = folder.glob("*.gguf")
    return file


def server(file):
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.n_ctx = 256
    settings.warmup = False
    settings.cpuparams.n_threads = 1
    settings.verbosity = 0
    return xllamacpp.Server(settings)


def ask(llama, path, body):
    request = urllib.request.Request(llama.listening_address + path, json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def same_writing(llama, model, prompt, length):
    body = {"prompt": prompt, "n_predict": length, "temperature": 0, "top_k": 1, "cache_prompt": False}
    theirs = ask(llama, "/completion", body)["content"]
    settings = ["--num_samples", 1, "--max_new_tokens", length, "--top_k", 1, "--threads", 1, "--device", "cpu"]
    ours = verisim("sample", model, "--prompt", prompt, *settings)["samples"][0]["completion"]
    # Half a character at the end: one writes it as U+FFFD, the other waits for the rest.
    assert theirs.rstrip("\ufffd") == ours.rstrip("\ufffd"), f"{model}: {theirs!r}, not {ours!r}"
    return theirs


def hash_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def characters(verified, home):
    """GPT-2's with its own alphabet, and the fixtures of Llama's family with one of as many characters."""
    alphabet = [chr(0x20 + i) for i in range(0x20, 0x53)] + ["é", "\n"]
    for name in ("llama", "llama3", "linear", "qwen2", "qwen3"):
        source = home / name
        shutil.copytree(FIXTURES / "llama" / name, source)
        with open(source / "meta.pkl", "wb") as file:
            chars = sorted(alphabet)
            itos, stoi = dict(enumerate(chars)), {c: i for i, c in enumerate(chars)}
            pickle.dump({"vocab_size": len(chars), "itos": itos, "stoi": stoi}, file)
        for outtype in ("f16", "q8_0"):
            file = export(source, home / f"{name}-{outtype}", outtype)
            # Both read the numbers of the file, of the tokenizer that Verisim finds beside the folder.
            print(f"{file.name}: {same_writing(server(file), source, PROMPT, LENGTH)!r}")
            verified[f"{name} {outtype}"] = hash_of(file)
    source = home / "nanogpt"
    source.mkdir()
    shutil.copy(FIXTURES / "foreign/nanogpt.pt", source / "ckpt.pt")
    shutil.copy(FIXTURES / "foreign/meta.pkl", source / "meta.pkl")
    file = export(source, home / "nanogpt-f16", "f16")
    print(f"{file.name}: {same_writing(server(file), source, 'abc', 4)!r}")
    verified["nanogpt f16"] = hash_of(file)


def tokenizers(verified, home):
    """Every kind of tokenizer that GGUF names, on a random model of Llama's family."""
    for name in ("gpt2", "smollm", "qwen", "llama3", "llama2"):
        tokenizer = CASES[name]["tokenizer"]
        ids = [*tokenizer["model"]["vocab"].values(), *(token["id"] for token in tokenizer["added_tokens"])]
        source = home / f"tokenizer-{name}"
        source.mkdir()
        (source / "tokenizer.json").write_text(json.dumps(tokenizer))
        special = [token["content"] for token in tokenizer["added_tokens"] if token["special"]]
        (source / "tokenizer_config.json").write_text(json.dumps({"eos_token": special[0]}))
        config = json.loads((FIXTURES / "llama/llama/config.json").read_text())
        (source / "config.json").write_text(json.dumps({**config, "vocab_size": max(ids) + 1}))
        weights = load_file(FIXTURES / "llama/llama/model.safetensors")
        random = np.random.default_rng(5)
        for embedding in ("model.embed_tokens.weight", "lm_head.weight"):
            if embedding in weights:
                shape = (max(ids) + 1, weights[embedding].shape[1])
                weights[embedding] = random.normal(size=shape).astype(np.float32)
        save_file(weights, source / "model.safetensors", {"format": "pt"})
        llama = server(export(source, home / f"tokenizer-{name}-gguf", "f16"))
        wrong = 0
        for text, expected, _ in CASES[name]["cases"]:
            ids = ask(llama, "/tokenize", {"content": text, "add_special": False, "parse_special": True})["tokens"]
            # llama.cpp leaves out Qwen's normalising (NFC).
            if ids != expected and (name != "qwen" or unicodedata.is_normalized("NFC", text)):
                wrong += 1
                print(f"  {text!r}: {ids}, not {expected}")
        assert wrong == 0
        # Of bytes that make no character, `tokenizers` writes one U+FFFD each where SentencePiece's are meant.
        text = "" if name == "llama2" else same_writing(llama, source, "Hello, the world", LENGTH)
        print(f"{name}: {len(CASES[name]['cases'])} texts; writes {text!r}")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        if len(sys.argv) > 1:
            file = export(sys.argv[1], home / "export", "f16")
            # Both read the 16 bits.
            print(repr(same_writing(server(file), file, sys.argv[2], LENGTH)))
            return
        verified = {}
        tokenizers(verified, home)
        characters(verified, home)
        noted = {"xllamacpp": xllamacpp.__version__, "files": verified}
        (FIXTURES / "gguf-exported.json").write_text(json.dumps(noted, indent=2) + "\n")


if __name__ == "__main__":
    main()
