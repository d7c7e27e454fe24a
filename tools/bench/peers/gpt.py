"""The GPT that PyTorch's contenders train: the architecture of nanoGPT (pre-norm, exact GELU, tied head, PyTorch's fused
attention), written for this benchmark. Dropout is left out because every contender trains without it."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, bias):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width, bias=bias)
        self.c_proj = nn.Linear(width, width, bias=bias)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.heads, C // self.heads).transpose(1, 2) for part in self.c_attn(x).split(C, dim=2)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(mixed.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, width, heads, bias):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, bias=bias)
        self.attn = Attention(width, heads, bias)
        self.ln_2 = nn.LayerNorm(width, bias=bias)
        self.c_fc = nn.Linear(width, 4 * width, bias=bias)
        self.c_proj = nn.Linear(4 * width, width, bias=bias)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(F.gelu(self.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, model):
        super().__init__()
        width, layers = model["n_embd"], model["n_layer"]
        self.block_size = model["block_size"]
        self.wte = nn.Embedding(model["vocab_size"], width)
        self.wpe = nn.Embedding(model["block_size"], width)
        self.blocks = nn.ModuleList(Block(width, model["n_head"], model["bias"]) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width, bias=model["bias"])
        self.lm_head = nn.Linear(width, model["vocab_size"], bias=False)
        self.lm_head.weight = self.wte.weight
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                std = 0.02 / math.sqrt(2 * layers) if name.endswith("c_proj.weight") else 0.02
                nn.init.normal_(parameter, std=std)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, ids, targets=None):
        """Mean cross-entropy with targets; scores of the last position, (B, 1, V), without."""
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        x = self.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :])
        logits = self.lm_head(x)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))

    @torch.no_grad()
    def write(self, ids, new_tokens):
        """nanoGPT's way of writing: the whole passage again for every token. ids: (B, T0); result: (B, T0 + new)."""
        for _ in range(new_tokens):
            logits = self(ids[:, -self.block_size :])[:, -1, :]
            ids = torch.cat((ids, torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)), dim=1)
        return ids
