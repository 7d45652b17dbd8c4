"""A Qwen3-form decoder, written so that its state_dict has transformers' names."""

import torch
import torch.nn as nn
import torch.nn.functional as F

SHAPE = {
    "hidden_size": 128, "num_hidden_layers": 5, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
    "intermediate_size": 384, "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
}
THETA = 10000.0
# The output projections of these layers begin as a small multiple of the value projection's transpose: what a head
# looks at, it writes into the residual stream, where the tied embedding reads it. Heads then only have to learn where to
# look. From zero, copying words was not learnt in hundreds of steps.
COPYING_FROM, COPY = 2, 0.1
ROUND = 256  # rows of every product are padded to a multiple: a CPU library compiles code anew for each new shape


def config_json(vocab, eos, pad):
    """config.json and generation_config.json."""
    config = {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", **SHAPE, "vocab_size": vocab,
        "hidden_act": "silu", "rope_theta": THETA, "rope_scaling": None, "attention_bias": False, "attention_dropout": 0.0,
        "tie_word_embeddings": True, "use_sliding_window": False, "sliding_window": None,
        "max_window_layers": SHAPE["num_hidden_layers"], "initializer_range": 0.02, "use_cache": True,
        "torch_dtype": "bfloat16", "bos_token_id": None, "eos_token_id": eos, "pad_token_id": pad,
    }
    generation = {"do_sample": True, "temperature": 1.0, "top_p": 1.0, "top_k": 0, "eos_token_id": [eos], "pad_token_id": pad}
    return config, generation


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        d, self.dim = SHAPE["hidden_size"], SHAPE["head_dim"]
        q, kv = SHAPE["num_attention_heads"] * self.dim, SHAPE["num_key_value_heads"] * self.dim
        self.q_proj, self.o_proj = nn.Linear(d, q, bias=False), nn.Linear(q, d, bias=False)
        self.k_proj, self.v_proj = nn.Linear(d, kv, bias=False), nn.Linear(d, kv, bias=False)
        self.q_norm, self.k_norm = (nn.RMSNorm(self.dim, eps=SHAPE["rms_norm_eps"]) for _ in range(2))

    def forward(self, x, shared, shape, cos, sin, seen):
        b, n = shape
        q, k, v = (p(x).view(-1, p.out_features // self.dim, self.dim) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = (rotate(norm(t.float()), cos, sin).to(v.dtype) for norm, t in ((self.q_norm, q), (self.k_norm, k)))
        group = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        head = [t[:shared].transpose(0, 1)[None] for t in (q, k, v)]
        end = shared + b * n
        own = [t[shared:end].view(b, n, -1, self.dim).transpose(1, 2) for t in (q, k, v)]
        keys, values = (torch.cat((h.expand(b, -1, -1, -1), o), 2) for h, o in zip(head[1:], own[1:]))
        first = F.scaled_dot_product_attention(*head, is_causal=True)
        rest = F.scaled_dot_product_attention(own[0], keys, values, attn_mask=seen)
        y = torch.cat([t.transpose(1, 2).reshape(-1, q.shape[1] * self.dim) for t in (first, rest)])
        return self.o_proj(F.pad(y, (0, 0, 0, len(x) - end)))


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        d, ff = SHAPE["hidden_size"], SHAPE["intermediate_size"]
        self.gate_proj, self.up_proj = nn.Linear(d, ff, bias=False), nn.Linear(d, ff, bias=False)
        self.down_proj = nn.Linear(ff, d, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        norm = lambda: nn.RMSNorm(SHAPE["hidden_size"], eps=SHAPE["rms_norm_eps"])
        self.self_attn, self.mlp, self.input_layernorm, self.post_attention_layernorm = Attention(), MLP(), norm(), norm()

    def forward(self, x, *where):
        x = x + self.self_attn(self.input_layernorm(x), *where)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocab, SHAPE["hidden_size"])
        self.layers = nn.ModuleList(Layer() for _ in range(SHAPE["num_hidden_layers"]))
        self.norm = nn.RMSNorm(SHAPE["hidden_size"], eps=SHAPE["rms_norm_eps"])


class LM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.model = Decoder(vocab)
        half = torch.arange(0, SHAPE["head_dim"], 2).float() / SHAPE["head_dim"]
        angle = torch.arange(SHAPE["max_position_embeddings"]).float()[:, None] * (1 / THETA**half)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)
        nn.init.normal_(self.model.embed_tokens.weight, std=0.05)
        for i, layer in enumerate(self.model.layers):
            nn.init.zeros_(layer.self_attn.o_proj.weight)
            nn.init.zeros_(layer.mlp.down_proj.weight)
            if i >= COPYING_FROM:
                attention = layer.self_attn
                nn.init.orthogonal_(attention.v_proj.weight)
                copy = attention.v_proj.weight.detach().T.reshape(SHAPE["hidden_size"], -1, attention.dim)
                group = SHAPE["num_attention_heads"] // SHAPE["num_key_value_heads"]
                attention.o_proj.weight.data.copy_(COPY * copy.repeat_interleave(group, 1).flatten(1))
            for norm in (layer.self_attn.q_norm, layer.self_attn.k_norm):
                nn.init.constant_(norm.weight, 1.5)

    def forward(self, prefix, ids, keep):
        """Logits of the positions of ids where keep is true, [kept][vocab].

        prefix [shared] comes before every row of ids [batch][n] and is computed once: the rows of one family all
        begin with the same system turn.
        """
        m, (b, n), p = self.model, ids.shape, len(prefix)
        at = torch.cat((torch.arange(p), torch.arange(p, p + n).repeat(b)))
        at = F.pad(at, (0, -len(at) % ROUND))
        cos, sin = (t[at][:, None] for t in (self.cos, self.sin))
        seen = torch.ones(n, p + n, dtype=torch.bool).tril(p)
        flat = torch.cat((prefix, ids.flatten()))
        x = m.embed_tokens(F.pad(flat, (0, -len(flat) % ROUND)))
        for layer in m.layers:
            x = layer(x, p, (b, n), cos, sin, seen)
        kept = keep.flatten().nonzero()[:, 0] + p
        logits = F.linear(m.norm(x[F.pad(kept, (0, -len(kept) % ROUND))]), m.embed_tokens.weight)
        return logits[:len(kept)]
