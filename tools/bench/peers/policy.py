"""TRL's GRPOTrainer with the same work as the engine's step: policy, reference and reward model of one shape, prompts and
completions of half a block. `trainer.train()` runs in a thread that stops after every step until the next is requested."""

import tempfile
import threading

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    GPT2ForSequenceClassification,
    LlamaForSequenceClassification,
    PreTrainedTokenizerFast,
    TrainerCallback,
)
from trl import GRPOConfig, GRPOTrainer

from training import random_tokens
from writing import adapters, gpt2_config, language_model, llama_config


def characters(vocab_size):
    """A tokenizer with one character per id; the last two are padding and end."""
    names = [chr(0x10000 + i) for i in range(vocab_size - 2)] + ["<pad>", "<end>"]
    tokenizer = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>")
    wrapped.padding_side = "left"
    return wrapped, names


class Gate(TrainerCallback):
    """Lets one step through at a time."""

    def __init__(self):
        self.requests = threading.Semaphore(0)
        self.done = threading.Semaphore(0)
        self.error = None

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == 0:
            self.done.release()
            self.requests.acquire()

    def on_step_end(self, args, state, control, **_):
        self.done.release()
        self.requests.acquire()

    def wait(self):
        self.done.acquire()
        if self.error:
            raise self.error


def grpo_step(work):
    shape = work["model"]
    tokenizer, names = characters(shape["vocab_size"])
    end = tokenizer.eos_token_id
    special = {"eos_token_id": end, "pad_token_id": tokenizer.pad_token_id}
    folder = tempfile.mkdtemp(prefix="verisim-trl-")
    # From a folder, because TRL loads the reference model from where the policy came.
    language_model(shape, **special).save_pretrained(folder)
    policy = AutoModelForCausalLM.from_pretrained(folder)
    if shape.get("architecture") == "llama":
        reward = LlamaForSequenceClassification(llama_config(shape, num_labels=1, **special))
    else:
        reward = GPT2ForSequenceClassification(gpt2_config(shape, num_labels=1, **special))
    half = shape["block_size"] // 2
    tokens = random_tokens(work["corpus"], shape["vocab_size"] - 2)
    starts = np.random.default_rng(3).integers(0, len(tokens) - half, 4096)
    prompts = ["".join(names[i] for i in tokens[start : start + half]) for start in starts]
    size = work["prompts"] * work["completions"]
    config = GRPOConfig(
        output_dir=folder,
        use_cpu=torch.get_default_device().type == "cpu",
        bf16=work["precision"] == "bf16",
        gradient_checkpointing=False,
        per_device_train_batch_size=size,
        gradient_accumulation_steps=1,
        num_generations=work["completions"],
        max_completion_length=half,
        # As long as the engine's completions: none may end early.
        generation_kwargs={"suppress_tokens": [end, tokenizer.pad_token_id]},
        beta=0.04,
        learning_rate=1e-5,
        max_steps=10**6,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        logging_steps=10,
        dataloader_pin_memory=False,
        model_init_kwargs=None,
    )
    gate = Gate()
    trainer = GRPOTrainer(
        model=policy,
        reward_funcs=reward,
        args=config,
        train_dataset=Dataset.from_dict({"prompt": prompts}),
        processing_class=tokenizer,
        reward_processing_classes=tokenizer,
        callbacks=[gate],
        # With adapters the reference is the policy without them.
        peft_config=adapters(shape),
    )
    lengths = []
    scored = trainer._generate_and_score_completions
    trainer._generate_and_score_completions = lambda inputs: lengths_of(scored(inputs), lengths)

    def train():
        try:
            torch.set_flush_denormal(True)
            trainer.train()
        except BaseException as error:
            gate.error = error
            gate.done.release()

    threading.Thread(target=train, daemon=True).start()
    gate.wait()

    def iterate():
        gate.requests.release()
        gate.wait()
        if lengths[-1] != (size, half, half):
            raise RuntimeError(f"TRL wrote {lengths[-1]}, not {(size, half, half)}")

    return iterate


def lengths_of(batch, lengths):
    """Notes how much was written, so that the comparison is of equal work."""
    rows, longest = batch["completion_ids"].shape
    lengths.append((rows, longest, batch["prompt_ids"].shape[1]))
    return batch
