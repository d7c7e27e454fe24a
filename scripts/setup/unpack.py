"""Takes out of the TensorFlow wheel what the engine needs: its C library and C headers, in a stream, a block at a time.

Usage: unpack.py WHEEL FOLDER. Prints the bytes done and in all as it goes; the last line is a JSON object that maps each
file, relative to FOLDER, to its size and SHA-256. zipfile checks each entry's CRC while it is read.
"""

import hashlib
import json
import os
import sys
import zipfile

LIBRARIES = ("tensorflow/libtensorflow_cc.so.2", "tensorflow/libtensorflow_framework.so.2")
HEADERS = ("tensorflow/c/", "xla/tsl/", "tsl/", "tensorflow/core/platform/")
NOTICES = ("tensorflow/include/LICENSE", "tensorflow/THIRD_PARTY_NOTICES.txt")
INCLUDE = "tensorflow/include/"


def place(name):
    """Where an entry of the wheel goes, or None when it is not needed."""
    if name in LIBRARIES:
        return "deps/lib/" + os.path.basename(name)
    if name in NOTICES:
        return os.path.basename(name)
    if name.startswith(INCLUDE) and name[len(INCLUDE) :].startswith(HEADERS) and not name.endswith("/"):
        return "deps/include/" + name[len(INCLUDE) :]
    return None


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
            files[name] = {"size": entry.file_size, "sha256": digest.hexdigest()}
    print(total, total)
    print(json.dumps(files))


main(*sys.argv[1:3])
