"""The modern architecture as PyTorch's contenders train it: what main/engine/model/modern.ts computes, written for this benchmark
with PyTorch's fused attention. Dropout is left out because every contender trains without it."""

import torch
import torch.nn as nn
import torch.nn.functional as F

EPSILON = 1e-6
CAP = 15.0


def norm(x):
    return F.rms_norm(x, (x.shape[-1],), eps=EPSILON)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, cos, sin):
        B, T, C = x.shape
        q, k, v = (
            layer(x).view(B, T, self.heads, C // self.heads).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        mixed = F.scaled_dot_product_attention(norm(turn(q, cos, sin)), norm(turn(k, cos, sin)), v, is_causal=True)
        return self.o_proj(mixed.transpose(1, 2).reshape(B, T, C))


def turn(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos + second * sin, second * cos - first * sin), dim=-1)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attn = Attention(width, heads)
        self.fc1 = nn.Linear(width, 4 * width, bias=False)
        self.fc2 = nn.Linear(4 * width, width, bias=False)

    def forward(self, x, cos, sin):
        x = x + self.attn(norm(x), cos, sin)
        return x + self.fc2(F.relu(self.fc1(norm(x))).square())


class Modern(nn.Module):
    def __init__(self, model):
        super().__init__()
        width, heads = model["n_embd"], model["n_head"]
        self.block_size = model["block_size"]
        self.embed = nn.Embedding(model["vocab_size"], width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(model["n_layer"]))
        self.lm_head = nn.Linear(width, model["vocab_size"], bias=False)
        frequencies = 10000.0 ** (-torch.arange(0, width // heads, 2) / (width // heads))
        angles = torch.outer(torch.arange(self.block_size), frequencies)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        for name, parameter in self.named_parameters():
            if name.endswith(("o_proj.weight", "fc2.weight")):
                nn.init.zeros_(parameter)
            else:
                nn.init.normal_(parameter, std={"embed.weight": 1.0, "lm_head.weight": 0.001}.get(name, width**-0.5))

    def forward(self, ids, targets):
        """Mean cross-entropy with the tokens after them."""
        T = ids.shape[1]
        x = norm(self.embed(ids))
        for block in self.blocks:
            x = block(x, self.cos[:T], self.sin[:T])
        logits = CAP * torch.tanh(self.lm_head(norm(x)) / CAP)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))
