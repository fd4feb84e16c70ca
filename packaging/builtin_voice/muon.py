"""The Muon optimizer (Keller Jordan, 2024) for the matrices of a transformer: momentum, made orthogonal by Newton-Schulz steps.

Its updates are scaled to the size of Adam's (Moonshot AI, arXiv 2502.16982), so both share one learning rate. Matrices of equal
shape are handled in one batch.
"""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def orthogonalised(matrices: Tensor, steps: int = 4) -> Tensor:
    """(N, rows, columns) -> about the nearest matrices whose singular values are all one."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices.bfloat16()
    tall = x.shape[1] > x.shape[2]
    x = x.transpose(1, 2).contiguous() if tall else x
    x = x / (x.float().norm(dim=(1, 2), keepdim=True) + 1e-7).bfloat16()
    for _ in range(steps):
        square = x @ x.transpose(1, 2)
        x = a * x + (b * square + c * (square @ square)) @ x
    return (x.transpose(1, 2) if tall else x).float()


class Muon(torch.optim.Optimizer):
    """For two-dimensional parameters only."""

    def __init__(
        self, parameters: Iterable[Tensor], lr: float, momentum: float = 0.95, weight_decay: float = 1e-3
    ) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:
        """One update of every parameter that has a gradient."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = {}
            for p in group["params"]:
                if p.grad is not None:
                    by_shape.setdefault(p.shape, []).append(p)
            for shape, same in by_shape.items():
                moved = []
                for p in same:
                    memory = self.state[p].setdefault("momentum", torch.zeros_like(p))
                    memory.lerp_(p.grad, 1 - group["momentum"])
                    moved.append(p.grad.lerp(memory, group["momentum"]))
                updates = orthogonalised(torch.stack(moved)) * (0.2 * max(shape) ** 0.5)
                for p, update in zip(same, updates, strict=True):
                    p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(update, alpha=group["lr"])
