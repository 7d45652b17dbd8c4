"""Trains the bundled policy from scratch on demonstrations of the bundled tasks. See README.md.

    python examples/tinylm/train.py                    # the bundled checkpoint
    python examples/tinylm/train.py --steps 5 --smoke  # a minute's check that everything still fits together
"""

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

import data
import vocabulary
from model import LM, SHAPE, config_json
from optim import Muon

FAMILIES = [
    data.Family("calculator", (), 0.45),
    data.Family("countdown", (), 0.10),
    data.Family("notes", ("-hops", "1"), 0.45),
]
WARMUP = 40
MUON_LR, ADAM_LR = 0.02, 4e-3


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--steps", type=int, default=900)
    p.add_argument("--tokens", type=int, default=6144, help="padded tokens a step")
    p.add_argument("--demos", type=int, default=12000, help="demonstrations of each family")
    p.add_argument("--vocab", type=int, default=640)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=2, help="of torch; sums may differ in the last bit with another number")
    p.add_argument("--out", type=Path, help="checkpoint folder (default: the embedded one)")
    p.add_argument("--smoke", action="store_true", help="few demonstrations, a temporary folder")
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    if args.smoke:
        with tempfile.TemporaryDirectory() as folder:
            args.demos, args.out, args.tokens = 300, Path(folder), 2048
            run(args)
        return
    args.out = args.out or Path(__file__).resolve().parent.parent.parent / "policy" / "tinylm" / "model"
    run(args)


def run(args):
    sets = {f.name: data.load(f, args.demos, args.seed) for f in FAMILIES}
    sample = [d for train, _ in sets.values() for d in train[:3000]]
    tok = vocabulary.train(sample, args.vocab)
    vocabulary.save(tok, args.out, SHAPE["max_position_embeddings"])
    vocabulary.check(args.out, [d for _, held in sets.values() for d in held[:8]])
    say(vocabulary=tok.get_vocab_size())

    held, streams = {}, []
    for f in FAMILIES:
        train, out = (data.encode_all(tok, demos, SHAPE["max_position_embeddings"]) for demos in sets[f.name])
        held[f.name] = out
        streams.append(data.batches(train, int(f.share * args.tokens), args.seed))
        count = lambda key: round(sum(key(e) for e in train) / len(train), 1)
        say(family=f.name, train=len(train), held_out=len(out), tokens=count(lambda e: len(e.ids)), sampled=count(lambda e: sum(e.mask)))

    net = LM(args.vocab)
    fit(net, streams, held, args)
    save(net, tok, args.out)
    verify(net, args.out, next(iter(held.values()))[0])


def fit(net, streams, held, args):
    matrices = [p for n, p in net.named_parameters() if p.ndim == 2 and "embed" not in n]
    others = [p for n, p in net.named_parameters() if p.ndim != 2 or "embed" in n]
    muon, adam = Muon(matrices), torch.optim.AdamW(others, lr=ADAM_LR, betas=(0.9, 0.95), weight_decay=0.0)
    say(parameters=sum(p.numel() for p in net.parameters()))
    tokens, began = 0, time.monotonic()
    for step in range(1, args.steps + 1):
        rate = min(1, step / WARMUP) * (1 - (step - 1) / args.steps)
        parts = [data.tensors(next(s)) for s in streams]
        targets = sum(int(keep.sum()) for _, _, keep in parts)
        losses = []
        for ids, want, keep in parts:
            with torch.autocast("cpu", torch.bfloat16):
                logits = net(ids, keep)
            loss = F.cross_entropy(logits.float(), want[keep], reduction="sum")
            (loss / targets).backward()
            losses.append(round(loss.item() / int(keep.sum()), 4))
            tokens += ids.numel()
        muon.step(MUON_LR * rate)
        for g in adam.param_groups:
            g["lr"] = ADAM_LR * rate
        adam.step()
        adam.zero_grad()
        if step % 50 == 0 or step == args.steps or step == 1:
            say(step=step, tokens=tokens, seconds=round(time.monotonic() - began), loss=dict(zip(held, losses)))
        if step % 150 == 0 or step == args.steps:
            say(step=step, held_out={name: score(net, examples) for name, examples in held.items()})


@torch.no_grad()
def score(net, examples):
    """Loss on held-out demonstrations, and the chance of sampling one word for word at temperature 1: a lower bound
    of success, as other ways to solve a problem are not counted."""
    total, n, chance = 0.0, 0, 0.0
    for e in examples:
        ids, want, keep = data.tensors([e])
        with torch.autocast("cpu", torch.bfloat16):
            logits = net(ids, keep)
        loss = F.cross_entropy(logits.float(), want[keep], reduction="sum").item()
        total, n, chance = total + loss, n + int(keep.sum()), chance + math.exp(-loss)
    return {"loss": round(total / n, 4), "verbatim": round(chance / len(examples), 3)}


def save(net, tok, folder):
    weights = {name: p.detach().to(torch.bfloat16).contiguous() for name, p in net.named_parameters()}
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    eos, pad = tok.token_to_id(vocabulary.END), tok.token_to_id(vocabulary.END_OF_TEXT)
    for name, content in zip(("config.json", "generation_config.json"), config_json(net.model.embed_tokens.num_embeddings, eos, pad)):
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")


@torch.no_grad()
def verify(net, folder, example):
    """transformers reads the saved folder and computes what the trained model computes."""
    from transformers import AutoModelForCausalLM
    ids, _, _ = data.tensors([example])
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()(ids).logits[0]
    for p in net.parameters():
        p.copy_(p.to(torch.bfloat16).float())
    ours = net(ids, torch.ones_like(ids, dtype=torch.bool))
    difference = (ours - theirs).abs().max().item()
    size = sum(f.stat().st_size for f in folder.iterdir())
    say(bytes=size, transformers_difference=difference)
    if difference > 1e-3:
        sys.exit("transformers computes something else from the saved folder")


def say(**fields):
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    main()
