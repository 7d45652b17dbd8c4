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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

import data
import vocabulary
from model import LM, SHAPE, config_json
from optim import Muon



def notes(hops, *more):
    return "-family", "notes", "-hops", str(hops), *more


def folded(manager, part, counts):
    """Long notes under a context manager, in three lengths: the longest is that of examples/folds. The room is such that
    most folds come right after a note was read, as there."""
    room = {"summarize": {4: 650, 12: 800, 40: 1350}, "prefix_summary": {4: 930, 12: 1280, 40: 2450}}[manager]
    return tuple(
        (n, *notes(4, "-people", "60", "-facts", "12", "-filler", str(filler), "-fold", manager, "-part", part, "-room", str(room[filler])))
        for filler, n in counts.items())


LONG = 150  # steps before the long chats come in
FAMILIES = [
    data.Family("calculator", ((8000, "-family", "calculator"),), 0.27),
    data.Family("countdown", ((28000, "-family", "countdown"),), 0.27),
    data.Family("notes", ((4000, *notes(1)),), 0.11),
    data.Family("notes-2", ((4000, *notes(2)),), 0.12),
    data.Family("summarize", folded("summarize", "task", {4: 600, 12: 600, 40: 2000}), 0.14),
    data.Family("summarize-fold", folded("summarize", "fold", {4: 800, 12: 800, 40: 1400}), 0.32, weight=3),
    data.Family("prefix", folded("prefix_summary", "task", {4: 500, 12: 500, 40: 1000}), 0.26, LONG, 2),
    data.Family("prefix-fold", folded("prefix_summary", "fold", {4: 500, 12: 500, 40: 1000}), 0.3, LONG),
]
WARMUP = 40
MUON_LR, ADAM_LR = 0.02, 4e-3


@dataclass
class Stream:
    name: str
    prefix: torch.Tensor
    batches: Iterator
    since: int  # trained on from the step after this one
    weight: float


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--steps", type=int, default=600)
    p.add_argument("--tokens", type=int, default=4096, help="padded tokens a step")
    p.add_argument("--vocab", type=int, default=2048, help="most ids of the tokenizer")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=2, help="families that are computed at a time")
    p.add_argument("--out", type=Path, help="checkpoint folder (default: the embedded one)")
    p.add_argument("--smoke", action="store_true", help="few demonstrations, a temporary folder")
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    if args.smoke:
        with tempfile.TemporaryDirectory() as folder:
            args.out, args.tokens = Path(folder), 2048
            run(args)
        return
    args.out = args.out or Path(__file__).resolve().parent.parent.parent / "policy" / "tinylm" / "model"
    run(args)


def run(args):
    with ThreadPoolExecutor(args.threads) as pool:
        sets = dict(zip([f.name for f in FAMILIES], pool.map(lambda f: data.load(f, args.seed, 300 if args.smoke else None), FAMILIES)))
    sample = [d for train, _ in sets.values() for d in train[-3000:]]
    tok = vocabulary.train(sample, args.vocab)
    vocabulary.save(tok, args.out, SHAPE["max_position_embeddings"])
    vocabulary.check(args.out, [d for _, held in sets.values() for d in held[:8]])
    say(vocabulary=tok.get_vocab_size())

    held, streams = {}, []
    for f in FAMILIES:
        train, out = (data.encode_all(tok, demos, SHAPE["max_position_embeddings"]) for demos in sets[f.name])
        held[f.name] = out
        batches = data.batches(train.examples, int(f.share * args.tokens), args.seed)
        streams.append(Stream(f.name, torch.tensor(train.prefix), batches, 0 if args.smoke else f.since, f.weight))
        mean = lambda key: round(sum(key(e) for e in train.examples) / len(train.examples), 1)
        say(family=f.name, train=len(train.examples), held_out=len(out.examples), prefix=len(train.prefix),
            tokens=mean(lambda e: len(e.ids)), sampled=mean(lambda e: sum(e.mask)))

    net = LM(-(-tok.get_vocab_size() // 32) * 32)
    fit(net, streams, held, args, lambda: save(net, tok, args.out))
    verify(net, args.out, held[FAMILIES[0].name])


def fit(net, streams, held, args, keep_weights):
    matrices = [p for n, p in net.named_parameters() if p.ndim == 2 and "embed" not in n]
    others = [p for n, p in net.named_parameters() if p.ndim != 2 or "embed" in n]
    muon, adam = Muon(matrices), torch.optim.AdamW(others, lr=ADAM_LR, betas=(0.9, 0.95), weight_decay=0.0)
    say(parameters=sum(p.numel() for p in net.parameters()))
    tokens, began, params = 0, time.monotonic(), list(net.parameters())
    pool = ThreadPoolExecutor(args.threads, initializer=torch.set_num_threads, initargs=(1,))
    for step in range(1, args.steps + 1):
        rate = min(1, step / WARMUP) * (1 - (step - 1) / args.steps)
        parts = [(s, *data.tensors(next(s.batches))) for s in streams if s.since < step]
        targets = sum(s.weight * int(keep.sum()) for s, *_, keep in parts)
        # The longest first, so that no worker waits long for another; added up in one order, whoever was first.
        parts.sort(key=lambda part: -part[1].numel() * (len(part[0].prefix) + part[1].shape[1] + 200))
        losses = {}
        for (s, ids, want, keep), (loss, grads) in zip(parts, pool.map(lambda part: backward(net, params, part, targets), parts)):
            for p, g in zip(params, grads):
                p.grad = g if p.grad is None else p.grad.add_(g)
            losses[s.name] = round(loss / int(keep.sum()), 4)
            tokens += ids.numel() + len(s.prefix)
        muon.step(MUON_LR * rate)
        for g in adam.param_groups:
            g["lr"] = ADAM_LR * rate
        adam.step()
        adam.zero_grad()
        if step % 50 == 0 or step == args.steps or step == 1:
            say(step=step, tokens=tokens, seconds=round(time.monotonic() - began), loss=losses)
        if step % 200 == 100 or step == args.steps:
            say(step=step, held_out={name: score(net, encoded) for name, encoded in held.items()})
            keep_weights()


def backward(net, params, part, targets):
    """Loss of one family's rows, and its gradients. Families run side by side, each on one core: there is nothing to
    wait for within a step but its end, and the sums do not depend on the number of cores."""
    s, ids, want, keep = part
    logits = net(s.prefix, ids, keep)
    loss = F.cross_entropy(logits, want[keep], reduction="sum")
    return loss.item(), torch.autograd.grad(s.weight * loss / targets, params)


@torch.no_grad()
def score(net, encoded):
    """Loss on held-out demonstrations, and the chance of sampling one word for word at temperature 1: a lower bound
    of success, as other ways to solve a problem are not counted."""
    prefix, losses, n = torch.tensor(encoded.prefix), [], 0
    for batch in data.pack(sorted(encoded.examples, key=lambda e: len(e.ids)), 2048):
        ids, want, keep = data.tensors(batch)
        logits = net(prefix, ids, keep)
        loss = torch.zeros(keep.shape)
        loss[keep] = F.cross_entropy(logits, want[keep], reduction="none")
        losses.append(loss.sum(1))
        n += int(keep.sum())
    each = torch.cat(losses)
    return {"loss": round(each.sum().item() / n, 4), "verbatim": round(each.neg().exp().mean().item(), 3)}


def save(net, tok, folder):
    weights = {name: p.detach().to(torch.bfloat16).contiguous() for name, p in net.named_parameters()}
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    eos, pad = tok.token_to_id(vocabulary.END), tok.token_to_id(vocabulary.END_OF_TEXT)
    (folder / "model.safetensors").chmod(0o644)
    for name, content in zip(("config.json", "generation_config.json"), config_json(net.model.embed_tokens.num_embeddings, eos, pad)):
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")


@torch.no_grad()
def verify(net, folder, encoded):
    """transformers reads the saved folder and computes what the trained model computes."""
    from transformers import AutoModelForCausalLM
    prefix, (ids, _, _) = torch.tensor(encoded.prefix), data.tensors(encoded.examples[:1])
    whole = torch.cat((prefix, ids[0]))[None]
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()(whole).logits[0, len(prefix):]
    for p in net.parameters():
        p.copy_(p.to(torch.bfloat16).float())
    ours = net(prefix, ids, torch.ones_like(ids, dtype=torch.bool))
    difference = (ours - theirs).abs().max().item()
    size = sum(f.stat().st_size for f in folder.iterdir())
    say(bytes=size, transformers_difference=difference)
    if difference > 1e-3:
        sys.exit("transformers computes something else from the saved folder")


def say(**fields):
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    main()
