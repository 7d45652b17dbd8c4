"""A Qwen3-form decoder, written so that its state_dict has transformers' names."""

import torch
import torch.nn as nn
import torch.nn.functional as F

SHAPE = {
    "hidden_size": 128, "num_hidden_layers": 5, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
    "intermediate_size": 384, "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
}
THETA = 100000.0
# Copying is there from the start and does not have to be found; from a plain beginning, one kind of word or another
# (names, relations, values) was still not copied after 700 steps. Two heads of the first layer look one and two places
# back and write what they see beside the token. In these layers a head looks for a place that the present token came
# before (PREVIOUS), or the token before that (SKIPPED), or both, and writes what is there into the residual stream,
# where the tied embedding reads it.
COPYING_FROM, COPY = 2, 0.1
SHIFTS, SHIFT = (1, 2), 0.15
NOISE = 0.02
CONSTANT = 0.2  # of feature 0 of every token: what a head that only counts places asks for
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


def shift(attention, value, back):
    """Heads 0 and 1, which share keys and values, look SHIFTS places back and write the token there to a place of its
    own. Only the fast frequencies tell places that close apart."""
    dim, half = attention.dim, attention.dim // 2
    fast = torch.arange(4)
    speed = THETA ** (-fast / half)
    key = torch.zeros(dim)
    key[fast] = 1
    attention.k_proj.weight[:dim] = 0
    attention.k_proj.weight[:dim, 0] = key
    attention.v_proj.weight[:dim] = value
    for head, (places, out) in enumerate(zip(SHIFTS, back)):
        query = torch.zeros(dim)
        query[fast], query[fast + half] = (-places * speed).cos(), (-places * speed).sin()
        rows = slice(head * dim, (head + 1) * dim)
        attention.q_proj.weight[rows] = 0
        attention.q_proj.weight[rows, 0] = query
        attention.o_proj.weight[:, rows] = SHIFT * out


def copying(attention, token, back, kind):
    """What the heads of a copying layer look for, in the slow frequencies, which hardly turn within the window."""
    d, dim = token.shape[0], attention.dim
    slow = torch.tensor([f + part for f in range(dim // 4, dim // 2) for part in (0, dim // 2)])
    n = len(slow)
    once = (token[:, :n], back[0][:, :n])  # the query's token, and where the key has the same one
    skip = (back[0][:, :n], back[1][:, :n])
    both = tuple(torch.cat((a[:, :n // 2], b[:, :n // 2]), 1) for a, b in zip(once, skip))
    for group, (query, key) in enumerate((((once, skip), (both, skip), (both, once))[kind])):
        rows = slice(group * dim, (group + 1) * dim)
        attention.k_proj.weight[rows] = 0
        attention.k_proj.weight[group * dim + slow] = key.T
        value = token[:, :dim] if group == 0 else token[:, -dim:]
        attention.v_proj.weight[rows] = value.T
        heads = attention.q_proj.out_features // attention.k_proj.out_features
        for head in range(group * heads, (group + 1) * heads):
            attention.q_proj.weight[head * dim:(head + 1) * dim] = 0
            attention.q_proj.weight[head * dim + slow] = query.T
            attention.o_proj.weight[:, head * dim:(head + 1) * dim] = COPY * value


class LM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.model = Decoder(vocab)
        half = torch.arange(0, SHAPE["head_dim"], 2).float() / SHAPE["head_dim"]
        angle = torch.arange(SHAPE["max_position_embeddings"]).float()[:, None] * (1 / THETA**half)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)
        self.begin()

    @torch.no_grad()
    def begin(self):
        """The first weights. The residual stream has room for three things that do not meet: the token, and the tokens
        one and two places back."""
        d, dim = SHAPE["hidden_size"], SHAPE["head_dim"]
        basis = torch.zeros(d, d - 1)
        nn.init.orthogonal_(basis[1:])
        *back, token = basis[:, :dim], basis[:, dim:2 * dim], basis[:, 2 * dim:]
        embed = self.model.embed_tokens.weight
        nn.init.normal_(embed, std=0.05)
        embed.copy_(embed @ token @ token.T * (d / token.shape[1]) ** 0.5)
        embed[:, 0] = CONSTANT
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attn
            nn.init.zeros_(attention.o_proj.weight)
            nn.init.zeros_(layer.mlp.down_proj.weight)
            for norm in (attention.q_norm, attention.k_norm):
                nn.init.constant_(norm.weight, 2.0)
            if i == 0:
                shift(attention, token[:, :dim].T, back)
            if i >= COPYING_FROM:
                copying(attention, token, back, i - COPYING_FROM)
            for proj in (attention.q_proj, attention.k_proj):  # heads that begin alike must not stay so
                proj.weight.add_(torch.randn_like(proj.weight), alpha=NOISE)

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
