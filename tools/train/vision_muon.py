"""The optimiser of tools/train/vision.py for the matrices of the blocks."""

import torch


def orthogonalise(matrix, steps=5):
    """About the nearest (semi-)orthogonal matrix, by Newton-Schulz iterations."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = (matrix / (matrix.norm() + 1e-7)).bfloat16()
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.mT
    for _ in range(steps):
        s = x @ x.mT
        x = a * x + (b * s + c * s @ s) @ x
    return (x.mT if tall else x).float()


class Muon(torch.optim.Optimizer):
    """Nesterov momentum with an orthogonalised update.

    In a parameter group named "fused" a matrix is query and key on top of each other; each
    part is orthogonalised on its own.
    """

    def __init__(self, params, lr, momentum=0.95, weight_decay=0.02):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                momentum = state["momentum"]
                momentum.lerp_(p.grad, 1 - group["momentum"])
                direction = p.grad.lerp(momentum, group["momentum"])
                parts = direction.chunk(2) if group["name"] == "fused" else [direction]
                scale = max(1, parts[0].shape[0] / parts[0].shape[1]) ** 0.5
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(torch.cat([orthogonalise(part) for part in parts]), alpha=-group["lr"] * scale)
