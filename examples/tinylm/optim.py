"""Muon (Jordan et al., 2024: orthogonalised momentum) for matrices; AdamW for the rest."""

import torch


def orthogonalise(g):
    """Newton-Schulz iteration of degree 5 on a stack of matrices: every singular value goes near 1."""
    tall = g.shape[-2] > g.shape[-1]
    x = g.mT if tall else g
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.mT if tall else x


class Muon:
    """Matrices of one shape are stacked, so that each shape costs one iteration."""

    def __init__(self, params, momentum=0.95):
        self.groups, self.momentum = {}, momentum
        for p in params:
            self.groups.setdefault(tuple(p.shape), []).append(p)
        self.state = {shape: torch.zeros(len(ps), *shape) for shape, ps in self.groups.items()}

    @torch.no_grad()
    def step(self, lr):
        for shape, ps in self.groups.items():
            grads, m = torch.stack([p.grad for p in ps]), self.state[shape]
            m.lerp_(grads, 1 - self.momentum)
            update = orthogonalise(grads.lerp(m, self.momentum))
            scale = lr * max(1, shape[0] / shape[1]) ** 0.5
            for p, u in zip(ps, update):
                p.sub_(u, alpha=scale)
                p.grad = None
