"""Writes tests/storage/inputs: the same texts in every Parquet and Zstandard flavour that inputs.test.ts reads.

Run by hand: python3 -m venv v && v/bin/pip install pyarrow zstandard && v/bin/python tests/storage/texts/make_inputs.py
"""

import json
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

folder = pathlib.Path(__file__).parent / "inputs"
folder.mkdir(exist_ok=True)

# Repeats make a dictionary worthwhile; None is a row without text.
words = ["Call me Ishmael.", "Zażółć gęślą jaźń\r\n", "中文 \U0001f600", "", None, "the same beginning, one end"]
texts = [None if w is None else w if i % 7 else f"{w} {i}" for i, w in enumerate(words * 40)]
(folder / "texts.json").write_text(json.dumps(texts, ensure_ascii=False))
table = pa.table({"id": list(range(len(texts))), "text": texts, "tags": [["a"]] * len(texts)})
full = pa.table(
    {"text": [t or "" for t in texts]}, schema=pa.schema([pa.field("text", pa.string(), nullable=False)])
)


def write(name, data=table, **options):
    options = {"row_group_size": 100, "data_page_size": 256, **options}
    pq.write_table(data, folder / f"{name}.parquet", **options)


plain = {"use_dictionary": False, "compression": "none"}
write("snappy_dictionary")
write("plain", **plain)
write("required", full, **plain)
write("statistics_index", write_page_index=True)
for codec in ["gzip", "brotli", "zstd", "lz4"]:
    write(codec, compression=codec)
for encoding in ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]:
    write(encoding.lower(), use_dictionary=False, column_encoding={"text": encoding})
write("v2_zstd", compression="zstd", data_page_version="2.0")
write("v2_required", full, compression="snappy", data_page_version="2.0", use_dictionary=False)
write("large_string", pa.table({"text": pa.array(texts, pa.large_string())}))
write("empty", table.slice(0, 0))

book = "".join(t for t in texts if t).encode()
frame = zstandard.ZstdCompressor(level=19, write_checksum=True).compress(book[:2000])
skippable = bytes.fromhex("502a4d18") + (5).to_bytes(4, "little") + b"hello"
rest = zstandard.ZstdCompressor(write_content_size=False).compressobj()
(folder / "book.txt").write_bytes(book)
(folder / "book.txt.zst").write_bytes(skippable + frame + rest.compress(book[2000:]) + rest.flush())
