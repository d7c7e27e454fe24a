"""Writes the ids that Python's tokenizers give a text, as 32-bit numbers, and prints how long that took.

    ids.py TOKENIZER.json TEXT OUT
"""

import sys
import time

import numpy as np
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
with open(sys.argv[2], encoding="utf-8", newline="") as file:
    text = file.read()
started = time.perf_counter()
ids = tokenizer.encode(text, add_special_tokens=False).ids
print(time.perf_counter() - started)
np.array(ids, dtype=np.uint32).tofile(sys.argv[3])
back = tokenizer.decode(ids[:20000], skip_special_tokens=False)
with open(sys.argv[3] + ".txt", "w", encoding="utf-8", newline="") as file:
    file.write(back)
