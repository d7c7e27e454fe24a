"""Makes fixtures/learned: what Python's `tokenizers` learns from a text, for tests/engine/tokenizer/learned/learn-merges.test.ts.

    pip install tokenizers==0.23.3 && python3 tests/parity/make_learned.py
"""

import json
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

HERE = Path(__file__).parent / "fixtures" / "learned"

TEXTS = {
    # Equal counts everywhere, runs of one letter, pairs that overlap, several alphabets, pieces of blanks.
    "mixed": "\n".join(
        [
            "aaaa aaa aa a aaaaa aaaaaaaa abab ababab bababa",
            "the cat sat on the mat, the hat; that's what they've said! 'll 're",
            "Größe ÄÖÜ straße naïve café  café — “quoted” …",
            "мама мыла раму; рама мыла маму",
            "日本語日本語のテキスト 日本 本日",
            "x  y   z\t\ttabs\n\n\nlines   ",
            "0123456789 12 123 1234 12345 ½ ²",
            "😀😀😀 👩‍👩‍👧 flags 🇩🇪🇩🇪",
        ]
    )
    * 3,
}


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    for name, text in TEXTS.items():
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=600,
            min_frequency=2,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator([text], trainer)
        model = json.loads(tokenizer.to_str())["model"]
        made = {"text": text, "merges": model["merges"], "tokens": sorted(model["vocab"], key=model["vocab"].get)}
        made["ids"] = tokenizer.encode(text).ids
        (HERE / f"{name}.json").write_text(json.dumps(made, ensure_ascii=False) + "\n", encoding="utf-8")


main()
