"""OpenAI's tiktoken beside Verisim's bpe tokenizer. Started by tiktoken.ts with the table of tokens; then one request a
line on standard input, one answer a line on standard output, both JSON:

    {"text": FILE}               encodes a UTF-8 file as one text
    {"strings": FILE}            encodes each line, a JSON string, on its own
    with "ids": FILE             where the ids are written: uint16; before those of each string their number, uint32
"""
import base64
import hashlib
import json
import sys
import time
from array import array

import tiktoken

table = open(sys.argv[1], 'rb').read()
# What tiktoken itself expects of r50k_base.tiktoken (tiktoken_ext/openai_public.py), and the pattern from there.
assert hashlib.sha256(table).hexdigest() == '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930'
ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in table.splitlines()}
pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
encoding = tiktoken.Encoding(
    'gpt2', pat_str=pattern, mergeable_ranks=ranks, special_tokens={'<|endoftext|>': 50256}, explicit_n_vocab=50257
)
assert sys.byteorder == 'little'


def read(request):
    if 'text' in request:
        return [open(request['text'], encoding='utf-8', newline='').read()]
    return [json.loads(line) for line in open(request['strings'], encoding='utf-8', newline='\n')]


for line in sys.stdin:
    request = json.loads(line)
    texts = read(request)
    wall, cpu = time.perf_counter(), time.process_time()
    ids = [encoding.encode_ordinary(text) for text in texts]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if 'ids' in request:
        with open(request['ids'], 'wb') as file:
            for some in ids:
                if 'strings' in request:
                    array('I', [len(some)]).tofile(file)
                array('H', some).tofile(file)
    print(json.dumps({'seconds': wall, 'cpu': cpu, 'tokens': sum(map(len, ids)), 'version': tiktoken.__version__}), flush=True)
