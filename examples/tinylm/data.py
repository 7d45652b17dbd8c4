"""Demonstrations as batches: encoded once, bucketed by length, in an order the seed fixes."""

import random
from dataclasses import dataclass

import torch

from chat import demonstrations
from vocabulary import encode

PAD = 0


@dataclass
class Family:
    name: str
    flags: tuple  # of the generator
    share: float  # of a step's padded tokens
    held_out: int = 96


@dataclass
class Example:
    ids: list
    mask: list


def load(family, n, seed):
    """n distinct problems to train on, and held-out ones that are not among them."""
    train, seen = [], set()
    for d in demonstrations(family.name, n, seed, *family.flags):
        if d["id"] not in seen:
            seen.add(d["id"])
            train.append(d)
    held = {}
    for d in demonstrations(family.name, 4 * family.held_out, seed + 1_000_003, *family.flags):
        if d["id"] not in seen:
            held[d["id"]] = d
    return train, list(held.values())[:family.held_out]


def encode_all(tok, demos, window):
    examples = [Example(*encode(tok, d)) for d in demos]
    return [e for e in examples if len(e.ids) <= window]


def batches(examples, budget, seed):
    """Endless batches of at most budget padded tokens, of examples of similar length, each epoch in a new order."""
    rng = random.Random(seed)
    while True:
        order = examples[:]
        rng.shuffle(order)
        cut = []
        for at in range(0, len(order), 2048):
            cut += list(pack(sorted(order[at:at + 2048], key=lambda e: len(e.ids)), budget))
        rng.shuffle(cut)
        yield from cut


def pack(ordered, budget):
    batch = []
    for e in ordered:
        if batch and len(e.ids) * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(e)
    if batch:
        yield batch


def tensors(batch):
    """Inputs, and for each position the id it must predict and whether that id was sampled."""
    n = max(len(e.ids) for e in batch)
    ids = torch.full((len(batch), n), PAD)
    mask = torch.zeros(len(batch), n, dtype=torch.bool)
    for i, e in enumerate(batch):
        ids[i, :len(e.ids)] = torch.tensor(e.ids)
        mask[i, :len(e.ids)] = torch.tensor(e.mask, dtype=torch.bool)
    return ids[:, :-1], ids[:, 1:], mask[:, 1:]
