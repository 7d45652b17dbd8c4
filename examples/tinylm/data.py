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
    generators: tuple  # for each, how many demonstrations, and its arguments
    share: float  # of a step's padded tokens
    since: int = 0  # trained on from the step after this one
    weight: float = 1  # of its tokens in the loss


@dataclass
class Example:
    ids: list
    mask: list


@dataclass
class Encoded:
    """A family's demonstrations, without the ids that all of them begin with."""
    prefix: list
    examples: list


def load(family, seed, most=None, held_out=64):
    """Demonstrations to train on, and some of problems that are held out: the generator never shares a key."""
    train = []
    for i, (n, *arguments) in enumerate(family.generators):
        train += demonstrations(*arguments, n=min(n, most or n), seed=seed + 2 * i, split="train")
    _, *arguments = family.generators[-1]
    return train, demonstrations(*arguments, n=held_out, seed=seed + 1, split="heldout")


def encode_all(tok, demos, window):
    whole = [e for e in (Example(*encode(tok, d)) for d in demos) if len(e.ids) <= window]
    low, high = min(e.ids for e in whole), max(e.ids for e in whole)
    shared = next((i for i, (a, b) in enumerate(zip(low, high)) if a != b), len(low) - 1)
    assert not any(e.mask[i] for e in whole[:100] for i in range(shared))
    return Encoded(low[:shared], [Example(e.ids[shared:], e.mask[shared:]) for e in whole])


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
    n = -(-max(len(e.ids) for e in batch) // 8) * 8 + 1  # few different lengths: see model.ROUND
    ids = torch.full((len(batch), n), PAD)
    mask = torch.zeros(len(batch), n, dtype=torch.bool)
    for i, e in enumerate(batch):
        ids[i, :len(e.ids)] = torch.tensor(e.ids)
        mask[i, :len(e.ids)] = torch.tensor(e.mask, dtype=torch.bool)
    return ids[:, :-1], ids[:, 1:], mask[:, 1:]
