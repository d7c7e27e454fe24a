"""Writes pretrained-cases.json: small tokenizers of every kind that pretrained models have, trained here, with the ids that
Python's `tokenizers` give awkward texts and what these decode to.

    python3 -m venv v && v/bin/pip install 'tokenizers==0.23.3' && v/bin/python tests/engine/tokenizer/pretrained_cases.py
"""

import json
import random
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = Path(__file__).parent
TEXT = (HERE.parents[1] / "storage" / "texts" / "inputs" / "book.txt").read_text(encoding="utf-8")
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PARTS = ["'s", "'S", "'re", " ", " ", " ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\u0085", "\ufeff", "\u00a0", "\u3000", "a", "é",
         "e\u0301", "ﬁ", "中文", "한국", "मस्ते", "1", "12", "123456", "٣٤", "²", "½", "😀", "👨\u200d👩", "\u200b", ".", "...", "!?", "(", "__",
         "▁", "▁▁", "<0x0A>", "<s>", "</s>", "<unk>", "<|end|>", "<|start|>", "<added>", " <added> ", "WORD", "aWORDb", "word", "Hello",
         "the", " the", " whale", "ship ", "\x00", "\uffff"]  # fmt: skip


def byte_level(pre, normalizer=None, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    special = ["<|end|>", "<|start|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=420, special_tokens=special, initial_alphabet=alphabet))
    return tokenizer


def split(pattern):
    parts = [pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    return pre_tokenizers.Sequence(parts)


def sentence_piece(pre, normalizer, decoder, fallback=True, fuse=True):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=fuse, byte_fallback=fallback))
    if pre:
        tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoder
    special = ["<unk>", "<s>", "</s>"] + ([f"<0x{b:02X}>" for b in range(256)] if fallback else [])
    text = TEXT if pre else "\n".join(TEXT.split(" "))
    tokenizer.train_from_iterator(text.splitlines() if not pre else [text], trainers.BpeTrainer(vocab_size=480, special_tokens=special))
    # The bytes are ordinary tokens of the vocabulary, not added ones.
    about = json.loads(tokenizer.to_str())
    about["added_tokens"] = about["added_tokens"][:3]
    return Tokenizer.from_str(json.dumps(about))


def kinds():
    without = pre_tokenizers.ByteLevel(add_prefix_space=False)
    yield "gpt2", byte_level(without)
    yield "prefix", byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True))
    yield "smollm", byte_level(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), without]))
    yield "qwen", byte_level(split(LLAMA3.replace("{1,3}", "")), normalizers.NFC())
    yield "llama3", byte_level(split(LLAMA3), ignore_merges=True)
    replace = normalizers.Replace(" ", "▁")
    end = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    llama = decoders.Sequence([*end, decoders.Strip(content=" ", left=1)])
    yield "llama2", sentence_piece(None, normalizers.Sequence([normalizers.Prepend("▁"), replace]), llama)
    yield "gemma", sentence_piece(pre_tokenizers.Split(" ", "merged_with_previous"), replace, decoders.Sequence(end))
    space = {"replacement": "▁", "split": True}
    for scheme in ("first", "always", "never"):
        meta = pre_tokenizers.Metaspace(prepend_scheme=scheme, **space)
        yield f"metaspace-{scheme}", sentence_piece(meta, None, llama if scheme != "never" else decoders.Sequence(end))
    yield "no-fallback", sentence_piece(pre_tokenizers.Metaspace(prepend_scheme="never", **space), None, decoders.Sequence(end), False, False)
    added = byte_level(without)
    added.add_tokens([AddedToken("<added>", lstrip=True, rstrip=True), AddedToken("WORD", single_word=True), AddedToken("the whale", normalized=True)])
    yield "added", added


def texts(rng):
    yield from ["", " ", "a", TEXT[:200], "The whale's 1851 ship, in 12 days.\n\n  He said: don't!", "<|start|>user\nHi<|end|>\n", "the whale"]
    for _ in range(18):
        yield "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 30)))


def main():
    found = {}
    for name, tokenizer in kinds():
        cases = []
        for text in texts(random.Random(5)):
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            cases.append([text, ids, tokenizer.decode(ids, skip_special_tokens=False)])
        found[name] = {"tokenizer": json.loads(tokenizer.to_str()), "cases": cases}
    (HERE / "pretrained-cases.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")


main()
