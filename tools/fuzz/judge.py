"""Reads the damaged files that Verisim read, with Python's own pickle and zipfile, and says what is in them.

    python3 judge.py SUBJECT < files      one file a line, in base64; one answer a line, "?" and a reason where there is none

Like Verisim it looks up no name that a file gives: pickles reach what is listed here and nothing else. NumPy's scalars
are made by NumPy where this Python has it.
"""

import base64
import hashlib
import io
import pickle
import re
import struct
import sys
import zipfile
from collections import OrderedDict

try:
    import numpy as np
except ImportError:
    np = None


class Refused(Exception):
    pass


class Record:
    """An instance of any configuration class, as its fields."""


class Storage:
    def __init__(self, form, key, count):
        self.form, self.key, self.count = form, key, count


class Tensor:
    def __init__(self, storage, offset, shape, strides, *rest):
        self.storage, self.offset, self.shape, self.strides = storage, offset, tuple(shape), tuple(strides)


FORMS = {"FloatStorage": "f", "HalfStorage": "e", "BFloat16Storage": "bf16", "DoubleStorage": "d", "LongStorage": "q",
         "IntStorage": "i", "ShortStorage": "h", "CharStorage": "b", "ByteStorage": "B", "BoolStorage": "?"}  # fmt: skip


def numpy_name(full):
    if full == "_codecs.encode":
        return lambda text, encoding: text.encode(encoding)
    if full in ("builtins.bytes", "__builtin__.bytes"):
        return lambda: b""
    if np is None:
        raise Refused("no NumPy here")
    scalar = np.float64(0).__reduce__()[0]
    names = {"numpy.core.multiarray.scalar": scalar, "numpy._core.multiarray.scalar": scalar, "numpy.dtype": np.dtype}
    return names[full]


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        full = f"{module}.{name}"
        if full in ("_codecs.encode", "builtins.bytes", "__builtin__.bytes", "numpy.dtype") or full.endswith(".multiarray.scalar"):
            return numpy_name(full)
        raise Refused(full)


class TorchUnpickler(Unpickler):
    def find_class(self, module, name):
        full = f"{module}.{name}"
        if module == "torch" and name in FORMS:
            return FORMS[name]
        found = {
            "collections.OrderedDict": OrderedDict,
            "torch._utils._rebuild_tensor_v2": Tensor,
            "torch._utils._rebuild_parameter": lambda data, *rest: data,
            "torch.Size": tuple,
            "torch.device": lambda *args: args,
            "types.SimpleNamespace": Record,
            "argparse.Namespace": Record,
        }.get(full)
        if found is not None:
            return found
        if re.fullmatch(r"[A-Za-z_][\w.]*\.[A-Za-z_]\w*Config", full):
            return Record
        return super().find_class(module, name)

    def persistent_load(self, pid):
        kind, form, key, _, count = pid
        if kind != "storage":
            raise Refused("persistent id")
        return Storage(form, key, count)


def read_meta(data):
    meta = Unpickler(io.BytesIO(data)).load()
    size, itos, stoi = meta["vocab_size"], meta["itos"], meta["stoi"]
    if len(itos) != size or len(stoi) != size:
        raise Refused("sizes")
    characters = [itos[i] for i in range(size)]
    if any(stoi[c] != i for i, c in enumerate(characters)):
        raise Refused("stoi")
    return ",".join(str(ord(c)) for c in characters)


def fields(value):
    return value.__dict__ if isinstance(value, Record) else value if isinstance(value, dict) else {}


def numbers(archive, folder, tensor):
    """The tensor's numbers in row-major order, as float32 bytes with every NaN the same."""
    form, size = tensor.storage.form, {"bf16": 2}.get(tensor.storage.form) or struct.calcsize(tensor.storage.form)
    data = archive.read(f"{folder}data/{tensor.storage.key}")
    out = bytearray()

    def walk(at, axis):
        if axis == len(tensor.shape):
            piece = data[at * size : at * size + size]
            if form == "bf16":
                value = struct.unpack("<f", b"\0\0" + piece)[0]
            else:
                value = struct.unpack("<" + form, piece)[0]
            out.extend(b"\0\0\xc0\x7f" if value != value else struct.pack("<f", value))
            return
        for i in range(tensor.shape[axis]):
            walk(at + i * tensor.strides[axis], axis + 1)

    walk(tensor.offset, 0)
    return bytes(out)


def read_torch(data):
    archive = zipfile.ZipFile(io.BytesIO(data))
    name = next(n for n in archive.namelist() if re.fullmatch(r"[^/]+/data\.pkl", n))
    folder = name[: -len("data.pkl")]
    root = fields(TorchUnpickler(io.BytesIO(archive.read(name))).load())
    said = next(f for f in (fields(root.get("model_args")), fields(root.get("config"))) if "n_layer" in f)
    parts = [f"n_layer={int(said['n_layer'])}", f"n_head={int(said['n_head'])}"]
    for name, tensor in root["model"].items():
        name = re.sub(r"^(?:_orig_mod\.|module\.)+", "", name)
        if name == "lm_head.weight" or re.fullmatch(r"transformer\.h\.\d+\.attn\.(masked_)?bias", name):
            continue
        digest = hashlib.sha256(numbers(archive, folder, tensor)).hexdigest()[:16]
        parts.append(f"{name}[{','.join(map(str, tensor.shape))}]={digest}")
    return ";".join(sorted(parts))


READERS = {"meta-pickle": read_meta, "torch": read_torch}


def main():
    read = READERS[sys.argv[1]]
    for line in sys.stdin:
        try:
            answer = read(base64.b64decode(line))
        except Exception as error:
            answer = f"? {type(error).__name__} {error}"
        print(answer.encode("ascii", "replace").decode().replace("\n", " "))


main()
