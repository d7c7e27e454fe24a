"""Writes fixtures/: what the Python package `gguf` makes of blocks of every form that Verisim reads, what it writes, and
what it calls the tensors of Llama's family.

    python3 -m venv v && v/bin/pip install 'gguf==0.19.0' && v/bin/python tests/formats/gguf/make_fixtures.py

A whole model's file is compared by tools/parity.
"""

import base64
import json
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import dequantize, quantize

OUT = Path(__file__).parent / "fixtures"
FORMS = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K"]
# Where the float16 scales of a block lie.
SCALES = {"F16": [0], "Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2],
          "Q6_K": [208]}  # fmt: skip


def type_of(form):
    return gguf.GGMLQuantizationType[form]


def numbers_of(tensor):
    return dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)


def random_blocks(form, rows, rng):
    """Any bits at all, but scales that are numbers: of either sign, tiny, zero and large ones among them."""
    size, width = gguf.GGML_QUANT_SIZES[type_of(form)]
    per_row = max(1, 512 // size)
    blocks = rng.integers(0, 256, (rows * per_row, width), dtype=np.uint8)
    special = np.array([0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0xFBFF], dtype=np.uint16)
    for at in SCALES.get(form, []):
        scales = rng.integers(0, 1 << 16, len(blocks), dtype=np.uint16)
        scales = np.where((scales & 0x7C00) == 0x7C00, scales & 0xBFFF, scales)
        scales[: len(special)] = special[: len(scales)]
        blocks[:, at : at + 2] = scales.view(np.uint8).reshape(-1, 2)
    if form in ("F32", "BF16"):
        blocks[:, -1] &= 0xBF  # no infinities and no NaN
    return blocks.reshape(rows, per_row * width)


def write_forms():
    rng = np.random.default_rng(18)
    writer = gguf.GGUFWriter(OUT / "forms.gguf", "llama")
    writer.add_name("every form")
    writer.add_array("test.strings", ["", "é", "\U0001f600", "a b"])
    writer.add_array("test.floats", [1.5, -2.25])
    writer.add_array("test.integers", [-1, 2**31 - 1])
    writer.add_key_value("test.u64", 2**40, gguf.GGUFValueType.UINT64)
    writer.add_key_value("test.i8", -5, gguf.GGUFValueType.INT8)
    writer.add_key_value("test.f64", 0.1, gguf.GGUFValueType.FLOAT64)
    writer.add_bool("test.bool", True)
    for form in FORMS:
        blocks = random_blocks(form, 3, rng)
        writer.add_tensor(form, blocks.view(np.float32) if form == "F32" else blocks, raw_dtype=type_of(form))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    reader = gguf.GGUFReader(OUT / "forms.gguf")
    return {t.name: {"shape": list(numbers_of(t).shape), "bits": text_of(numbers_of(t))} for t in reader.tensors}


def text_of(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def written():
    rng = np.random.default_rng(7)
    values = (rng.standard_normal((4, 64)) * np.array([[1], [1e-6], [300], [0]])).astype(np.float32)
    values[0, :6] = [65504, -65519.99, 65520, 2**-24, 2**-25, 3 * 2**-26]
    forms = {form: text_of(quantize(values, type_of(form))) for form in ("F16", "Q8_0")}
    return {"values": text_of(values), "shape": list(values.shape), **forms}


def names():
    """Hugging Face's names and GGUF's, by architecture."""
    parts = ["input_layernorm", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]
    parts += [f"self_attn.{p}_proj" for p in "qkvo"] + ["self_attn.q_norm", "self_attn.k_norm"]
    theirs = ["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"]
    theirs += [f"model.layers.1.{part}.{kind}" for part in parts for kind in ("weight", "bias")]
    found = {}
    for arch in ("LLAMA", "QWEN2", "QWEN3"):
        table = gguf.get_tensor_name_map(gguf.MODEL_ARCH[arch], 2)
        pairs = {name: table.get_name(name, try_suffixes=(".weight", ".bias")) for name in theirs}
        found[arch.lower()] = {name: other for name, other in pairs.items() if other}
    return found


def permute(weights, heads):
    """As convert_hf_to_gguf.py does it for Llama's queries and keys."""
    return weights.reshape(heads, 2, len(weights) // heads // 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def llama3_factors(size, base, factor):
    """As convert_hf_to_gguf.py writes them for Llama 3.1 and 3.2."""
    low, high, old = 1, 4, 8192
    found = []
    for frequency in 1.0 / (base ** (np.arange(0, size, 2, dtype=np.float32) / size)):
        wave = 2 * np.pi / frequency
        if wave < old / high:
            found.append(1)
        elif wave > old / low:
            found.append(factor)
        else:
            smooth = (old / wave - low) / (high - low)
            found.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(found, dtype=np.float32).tolist()


def main():
    OUT.mkdir(exist_ok=True)
    rows = np.arange(24, dtype=np.float32).reshape(12, 2)
    facts = {
        "tensors": write_forms(),
        "written": written(),
        "names": names(),
        "llama3": {"base": 500000, "factor": 32, "factors": llama3_factors(64, 500000, 32)},
        "permuted": {"heads": 3, "rows": rows.ravel().tolist(), "in_turns": permute(rows, 3).ravel().tolist()},
    }
    (OUT / "gguf.json").write_text(json.dumps(facts, separators=(",", ":"), sort_keys=True) + "\n")


main()
