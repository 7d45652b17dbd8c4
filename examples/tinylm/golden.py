"""Writes what transformers computes in float32 on ten prompts of each test checkpoint, for policy/tinylm's tests.

    python examples/tinylm/golden.py

The checkpoints are the bundled one and a small random one of the Llama family, made here: untied, float16, without
QK-norm, with the newer rope_parameters. Prompts are rendered demonstrations and random ids.
"""

import gzip
import json
import random

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from chat import ROOT

PACKAGE = ROOT / "policy" / "tinylm"
TEXTS = [
    "<|im_start|>user\nCompute 3+4*5<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>system\nYou use tools.<|im_end|>\n<|im_start|>user\n12 - (7 + 2) * 3<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>user\nReach 24 with 2, 3, 4.<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>user\nFind Milo.boss.food<|im_end|>\n<|im_start|>assistant\n<tool_call>\n",
    "<|im_start|>tool\nMilo\nboss=Ugo\nfood=rice<|im_end|>\n",
    "Grüße, 世界! \t\r\n\x00",
    "<|im_end|>",
]


def llama():
    """A random checkpoint; rewritten only when it is missing, as another release of torch may draw other numbers."""
    folder = PACKAGE / "testdata" / "llama"
    if (folder / "model.safetensors").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    shape = dict(vocab_size=64, hidden_size=32, intermediate_size=72, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, max_position_embeddings=128, rms_norm_eps=1e-5, tie_word_embeddings=False)
    net = LlamaForCausalLM(LlamaConfig(**shape, rope_parameters={"rope_type": "default", "rope_theta": 500000.0}))
    for p in net.parameters():
        torch.nn.init.normal_(p, mean=float(p.ndim == 1), std=0.2)
    weights = {n: p.detach().half().contiguous() for n, p in net.named_parameters()}
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", **shape, "hidden_act": "silu",
              "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "attention_bias": False, "mlp_bias": False,
              "eos_token_id": 1, "bos_token_id": None, "dtype": "float16"}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "generation_config.json").write_text('{"eos_token_id": [1, 2]}\n')
    return folder


def golden(folder, name, prompts):
    net = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    cases = []
    for ids in prompts:
        with torch.no_grad():
            logits = net(torch.tensor([ids])).logits[0]
        score = logits.log_softmax(-1)[:-1].gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
        short = lambda t: [float(f"{v:.8g}") for v in t.tolist()]
        cases.append({"ids": ids, "last": short(logits[-1]), "scores": short(score)})
    raw = json.dumps({"cases": cases}).encode()
    (PACKAGE / "testdata" / name).write_bytes(gzip.compress(raw, mtime=0))


def main():
    rng = random.Random(1)
    bundled = PACKAGE / "model"
    tok = AutoTokenizer.from_pretrained(bundled)
    prompts = [tok.encode(t, add_special_tokens=False) for t in TEXTS]
    prompts += [[rng.randrange(5, 600) for _ in range(n)] for n in (33, 200, 700)]
    golden(bundled, "logits-bundled.json.gz", prompts)
    golden(llama(), "logits-llama.json.gz", [[rng.randrange(64) for _ in range(n)] for n in (1, 2, 3, 15, 16, 17, 32, 50, 100, 128)])


if __name__ == "__main__":
    main()
