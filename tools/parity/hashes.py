"""Prints the SHA-256 of every tensor of a GGUF file, dequantised to float32 by the Python package gguf, as JSON.

    hashes.py MODEL.gguf
"""

import hashlib
import json
import sys

import gguf
import numpy as np
from gguf.quants import dequantize

facts = {}
for tensor in gguf.GGUFReader(sys.argv[1]).tensors:
    numbers = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False))
    facts[tensor.name] = {"shape": list(numbers.shape), "sha256": hashlib.sha256(numbers.tobytes()).hexdigest()}
print(json.dumps(facts))
