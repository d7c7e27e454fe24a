"""Hugging Face's GPT-2 writing with a key-value cache: the ordinary one that grows, or a static one with the step compiled."""

import torch
from transformers import CompileConfig, GPT2Config, GPT2LMHeadModel


def gpt2_config(model, **changes):
    """GPT-2 of the engine's shape; exact GELU, which is also PyTorch's faster one."""
    return GPT2Config(
        vocab_size=model["vocab_size"],
        n_positions=model["block_size"],
        n_embd=model["n_embd"],
        n_layer=model["n_layer"],
        n_head=model["n_head"],
        activation_function="gelu",
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        **{"bos_token_id": None, "eos_token_id": None, "pad_token_id": None, **changes},
    )


def generate(work, variant):
    model = GPT2LMHeadModel(gpt2_config(work["model"])).eval()
    new_tokens = work["model"]["block_size"] - work["promptTokens"]
    prompts = torch.randint(work["model"]["vocab_size"], (work["sequences"], work["promptTokens"]))
    mask = torch.ones_like(prompts)
    options = {}
    if variant == "static-cache-compiled":
        # Without this, transformers compiles on graphics cards only.
        compiling = CompileConfig(fullgraph=False, mode="default")
        compiling._compile_all_devices = True
        options = {"cache_implementation": "static", "compile_config": compiling}

    @torch.inference_mode()
    def iterate():
        ids = model.generate(
            prompts,
            attention_mask=mask,
            do_sample=True,
            top_k=0,
            temperature=1.0,
            max_new_tokens=new_tokens,
            pad_token_id=0,
            **options,
        )
        if ids.shape[1] != work["model"]["block_size"]:
            raise RuntimeError(f"wrote {ids.shape[1]} tokens")

    return iterate
