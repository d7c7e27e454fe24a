"""Whether TRL's DPOTrainer reads preference pairs as Verisim writes them, and trains on them.

    python read_pairs.py PAIRS.jsonl        prints one line of JSON: {"rows": [...], "losses": [...], "trl": version}

The model is a GPT-2 of two layers with random weights, its tokens are bytes: nothing is fetched.
"""

import copy
import json
import os
import sys
import tempfile

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

import torch  # noqa: E402
import trl  # noqa: E402
from datasets import load_dataset  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast  # noqa: E402


def byte_tokenizer():
    vocabulary = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE({**vocabulary, "<end>": len(vocabulary)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>")


def main(file):
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        rows = load_dataset("json", data_files=file, split="train", cache_dir=os.path.join(folder, "cache"))
        tokenizer = byte_tokenizer()
        shape = GPT2Config(vocab_size=len(tokenizer), n_positions=512, n_embd=32, n_layer=2, n_head=2)
        settings = trl.DPOConfig(
            output_dir=os.path.join(folder, "out"),
            max_steps=2,
            per_device_train_batch_size=2,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            bf16=False,
            seed=1,
        )
        model = GPT2LMHeadModel(shape)
        # Given, or it is fetched anew by the model's name, and this one has none.
        reference = copy.deepcopy(model)
        trainer = trl.DPOTrainer(
            model=model, ref_model=reference, args=settings, train_dataset=rows, processing_class=tokenizer
        )
        trainer.train()
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
        answers.write(json.dumps({"rows": list(rows), "losses": losses, "trl": trl.__version__}) + "\n")


main(sys.argv[1])
