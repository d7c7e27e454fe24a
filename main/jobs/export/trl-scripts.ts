/** Python scripts of an export for TRL: the reward and the trainer. */

/** The part of reward.py that scores, after the files are read. */
const SCORING = String.raw`judge = read_judge()
head = {name: values.to(device) for name, values in load_file(here / "reward-head.safetensors").items()}
# Who wrote: the model as it was exported, whatever is being trained.
writer = frozen(AutoModelForCausalLM.from_pretrained(here, dtype=torch.float32))


def log_probs(logits, ids, temperature=1.0):
    """log p of the tokens 1 … T-1: (B, T, V) and (B, T) to (B, T-1)"""
    logs = torch.log_softmax(logits[:, :-1].float() / temperature, -1)
    return logs.gather(-1, ids[:, 1:, None])[..., 0]


def head_logits(hidden):
    inner = torch.relu(hidden @ head["reward_head.0.weight"].T + head["reward_head.0.bias"])
    return inner @ head["reward_head.2.weight"].T + head["reward_head.2.bias"]


@torch.no_grad()
def score(prompt, written):
    """Of one text in ids. critic: mean of bounded log r - log q over what was written; head: P(natural)."""
    written = written[: settings["block_size"] - len(prompt)]
    if not written:
        return 0.0
    ids = torch.tensor([[*prompt, *written]], device=device)
    read = judge(ids, output_hidden_states=True)
    if settings["reward_kind"] == "head":
        hidden = read.hidden_states[-1].float()
        return torch.softmax(head_logits(hidden[:, -1]), -1)[0, 0].item()
    evidence = log_probs(read.logits, ids) - log_probs(writer(ids).logits, ids, settings["temperature"])
    bound = settings["log_ratio_bound"]
    return evidence[0, -len(written) :].clamp(-bound, bound).mean().item()


def encoded(text):
    return tokenizer(text, add_special_tokens=False)["input_ids"]


def reward(prompts, completions, completion_ids=None, **_):
    written = completion_ids if completion_ids is not None else [encoded(text) for text in completions]
    end = tokenizer.eos_token_id
    return [score(encoded(prompt), [id for id in ids if id != end]) for prompt, ids in zip(prompts, written)]

`;

/** The reward as TRL calls it. Computes what main/engine/reward/reward-scorer.ts does. */
export const rewardScript = String.raw`"""Verisim’s reward in Python: how natural the reward model finds a completion. settings.json has its kind."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

here = Path(__file__).resolve().parent
settings = json.loads((here / "settings.json").read_text())
tokenizer = AutoTokenizer.from_pretrained(here)
device = "cuda" if torch.cuda.is_available() else "cpu"


def frozen(model):
    return model.to(device).eval().requires_grad_(False)


def read_judge():
    fields = json.loads((here / "reward-config.json").read_text())
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**fields))
    missing, unknown = model.load_state_dict(load_file(here / "reward-model.safetensors"), strict=False)
    if unknown or set(missing) - {"lm_head.weight"}:
        raise RuntimeError(f"reward-model.safetensors does not fit this model: {missing}, {unknown}")
    return frozen(model)


${SCORING}`;

/** Trains the exported model with TRL's GRPO. */
export const trainScript = String.raw`"""Trains this model further with TRL’s GRPO, Verisim’s reward and the project’s settings: python train_trl.py [steps]"""

import sys

import torch
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

from reward import encoded, here, reward, settings, tokenizer

half = settings["block_size"] // 2
rows = load_dataset("json", data_files=str(here / "prompts.jsonl"), split="train")
config = GRPOConfig(
    output_dir=str(here / "trained"),
    max_steps=int(sys.argv[1]) if len(sys.argv) > 1 else settings["grpo_max_steps"],
    num_generations=settings["group_size"],
    per_device_train_batch_size=settings["group_size"] * settings["prompts_per_step"],
    max_completion_length=half,
    temperature=settings["temperature"],
    beta=settings["beta"],
    epsilon=settings["epsilon"],
    num_iterations=settings["num_iterations"],
    scale_rewards=settings["scale_rewards"],
    loss_type=settings["loss_type"],
    learning_rate=settings["grpo_learning_rate"],
    lr_scheduler_type="linear" if settings["grpo_lr_schedule"] == "linear" else "constant_with_warmup",
    warmup_steps=settings["grpo_warmup_steps"],
    max_grad_norm=1.0,
    bf16=torch.cuda.is_available(),
    use_cpu=not torch.cuda.is_available(),
    gradient_checkpointing=False,
    logging_steps=1,
    report_to="none",
)
trainer = GRPOTrainer(
    model=str(here),
    reward_funcs=[reward],
    args=config,
    train_dataset=rows.filter(lambda row: len(encoded(row["prompt"])) <= half),
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model()
`;
