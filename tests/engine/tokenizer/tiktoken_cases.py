"""Writes tiktoken-cases.json, what OpenAI's tiktoken makes of texts chosen to be awkward. Run by hand:

    pip install tiktoken
    node -e "import('gpt-tokenizer/bpeRanks/r50k_base').then(m => m.default.forEach((t, i) =>
        console.log(Buffer.from(t).toString('base64') + ' ' + i)))" > r50k_base.tiktoken
    python3 tests/engine/tokenizer/tiktoken_cases.py r50k_base.tiktoken shared/data/tinyshakespeare.txt > tests/engine/tokenizer/tiktoken-cases.json

The table's SHA-256 must be the one that tiktoken itself expects of r50k_base.tiktoken; it is checked here.
"""
import base64
import hashlib
import json
import random
import sys
from array import array

import tiktoken

table = open(sys.argv[1], 'rb').read()
assert hashlib.sha256(table).hexdigest() == '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930'
ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in table.splitlines()}
# tiktoken_ext/openai_public.py, r50k_pat_str
pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
encoding = tiktoken.Encoding(
    'gpt2', pat_str=pattern, mergeable_ranks=ranks, special_tokens={'<|endoftext|>': 50256}, explicit_n_vocab=50257
)

pieces = [
    "'s", "'re", "'ll", "'Ve", "'", "' ", '  ', ' ', '\n', '\r\n', '\t', '\u00a0', '\u0085', '\ufeff', '\u2028', '\u3000', '\u180e',
    '\u200b', '\u200d', 'é', 'e\u0301', '中', '文', '👩‍👩‍👧‍👦', '🏳️‍🌈', '😀', '½', '٣', 'Ⅻ', 'a', 'B', 'xyz', '1', '23', '!', '--', '...',
    '<|endoftext|>', '\x00', '\x01', '\x1c', '\x1f', '\x7f', 'ﬁ', 'ß', 'ا', 'हि', '\ufffd', '\U00020000', '\U0001d400', '_',
    ' word', ' 12', ' ?', 'internationalization', ' Antidisestablishmentarianism',
]
random.seed(7)
cases = [''.join(random.choice(pieces) for _ in range(random.randint(0, 14))) for _ in range(400)]
cases += ['a' * 5000, ' ' * 3000 + 'x', '\n' * 999, ''.join(random.choice('abcdefghijklmnopqrstuvwxyzéß中') for _ in range(4000))]

print(json.dumps([[case, encoding.encode_ordinary(case)] for case in cases], separators=(',', ':')))

# What tests/storage/datasets/prepare-text.test.ts expects of nanoGPT's data/shakespeare/prepare.py.
text = open(sys.argv[2]).read()
cut = int(len(text) * 0.9)
for part in (text[:cut], text[cut:]):
    print(hashlib.sha256(array('H', encoding.encode_ordinary(part)).tobytes()).hexdigest(), file=sys.stderr)
