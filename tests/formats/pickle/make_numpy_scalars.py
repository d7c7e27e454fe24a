"""Writes numpy-scalars.json: NumPy's scalars as NumPy pickles them. Run with each of both versions when they have to change:

    python3 -m venv v2 && v2/bin/pip install numpy && v2/bin/python tests/formats/pickle/make_numpy_scalars.py
    python3 -m venv v1 && v1/bin/pip install 'numpy<2' && v1/bin/python tests/formats/pickle/make_numpy_scalars.py
"""

import json
import pickle
import random
from pathlib import Path

import numpy as np

OUT = Path(__file__).parent / "numpy-scalars.json"


def value_of(scalar):
    """What Python makes of it, as text that tells types and values apart."""
    if isinstance(scalar, np.str_):
        return "text " + ",".join(str(ord(c)) for c in str(scalar))
    plain = scalar.item()
    if isinstance(plain, bool):
        return f"bool {int(plain)}"
    if isinstance(plain, int):
        return f"int {plain}"
    return f"float {float(plain)!r}"


def scalars(rng):
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        for value in (low, high, 0, 1, rng.randint(low, high), min(high, 2**53), min(high, 2**53 + 1)):
            yield np.dtype(kind).type(value)
    for kind in ("float16", "float32", "float64"):
        special = (0.0, -0.0, 1.5, -2.25, float("inf"), float("-inf"), float("nan"), rng.gauss(0, 100), 1e-7)
        for value in special + (float(np.finfo(kind).max), float(np.finfo(kind).tiny), float(np.finfo(kind).smallest_subnormal)):
            yield np.dtype(kind).type(value)
    yield np.bool_(True)
    yield np.bool_(False)
    for text in ("", "a", "é", "中\U0001f600", "a\0b", " \n", "x" * 40):
        yield np.str_(text)
        # An element of a wider array, which NumPy pads with zeros, and of an array in the other byte order.
        yield np.array([text, "w" * 50])[0]
        yield np.array([text or "z"], dtype=">U45")[0]
    for kind in (">i8", ">i4", ">u2", ">f4", ">f8", ">f2"):
        yield np.array([3], dtype=kind)[0]


def main():
    found = json.loads(OUT.read_text()) if OUT.exists() else {}
    version = "numpy1" if np.__version__.startswith("1.") else "numpy2"
    # The protocol (2 to 5) changes from one scalar to the next, so that each kind is pickled by several.
    rows = [[repr(s), value_of(s), pickle.dumps(s, protocol=2 + i % 4).hex()] for i, s in enumerate(scalars(random.Random(6)))]
    found[version] = {"scalars": rows}
    OUT.write_text(json.dumps(found, separators=(",", ":"), sort_keys=True) + "\n")


main()
