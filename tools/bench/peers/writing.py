"""Hugging Face's GPT-2, Llama and NanoChat writing with a key-value cache: the ordinary one that grows, or a static one with the step compiled."""

import torch
from transformers import (
    CompileConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    NanoChatConfig,
    NanoChatForCausalLM,
)


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


def llama_config(model, **changes):
    """Llama of the engine's shape."""
    shape = model["llama"]
    return LlamaConfig(
        vocab_size=model["vocab_size"],
        max_position_embeddings=shape["max_positions"],
        hidden_size=model["n_embd"],
        intermediate_size=shape["n_inner"],
        num_hidden_layers=model["n_layer"],
        num_attention_heads=model["n_head"],
        num_key_value_heads=shape["n_kv_head"],
        head_dim=shape["head_dim"],
        rms_norm_eps=shape["norm_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": shape["rope_theta"]},
        tie_word_embeddings=shape["tied_head"],
        **{"bos_token_id": None, "eos_token_id": None, "pad_token_id": None, **changes},
    )


def nanochat_config(model, **changes):
    """The modern architecture, as it begins from nothing."""
    return NanoChatConfig(
        vocab_size=model["vocab_size"],
        max_position_embeddings=model["block_size"],
        hidden_size=model["n_embd"],
        intermediate_size=4 * model["n_embd"],
        num_hidden_layers=model["n_layer"],
        num_attention_heads=model["n_head"],
        **{"bos_token_id": None, "eos_token_id": None, "pad_token_id": None, **changes},
    )


def language_model(model, **changes):
    """Transformers' own network of a shape, with fresh weights."""
    if model.get("architecture") == "llama":
        return LlamaForCausalLM(llama_config(model, **changes))
    if model.get("architecture") == "modern":
        return NanoChatForCausalLM(nanochat_config(model, **changes))
    return GPT2LMHeadModel(gpt2_config(model, **changes))


PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def adapters(shape):
    """peft's configuration of the engine's adapters, which accompany every matrix of a block; None without adapters."""
    if not shape.get("lora"):
        return None
    from peft import LoraConfig

    lora = shape["lora"]
    return LoraConfig(
        r=lora["rank"], lora_alpha=lora["alpha"], lora_dropout=0.0, target_modules=PROJECTIONS, task_type="CAUSAL_LM"
    )


def with_adapters(model, shape):
    """The same network, of which only the adapters learn, where the shape has some."""
    chosen = adapters(shape)
    if chosen is None:
        return model
    from peft import get_peft_model

    return get_peft_model(model, chosen)


def generate(work, variant):
    model = language_model(work["model"]).eval()
    new_tokens = work["model"]["block_size"] - 1
    prompts = torch.randint(work["model"]["vocab_size"], (work["sequences"], 1))
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
