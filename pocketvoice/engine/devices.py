"""The devices a model computes on: found by name or refused in a sentence, moved to, used by one thread at a time if need be.

The CPU is what everything is made for; the others run the same code, each operator by itself.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

from pocketvoice.engine import checks
from pocketvoice.errors import EnvironmentFault, InputError
from pocketvoice.model.weights import Network

CPU = torch.device("cpu")

# WORKAROUND: torch ends the process when two threads use MPS at once (github.com/pytorch/pytorch/issues/197805).
_mps_turn = threading.RLock()


def find(name: str | torch.device) -> torch.device:
    """The device of that name, with its number; raises InputError if there is no such thing here."""
    checks.device(name)
    device = torch.device(name)
    if device.type == "cuda":
        return _cuda(device.index)
    if device.type == "mps":
        return _mps()
    return CPU


def _cuda(index: int | None) -> torch.device:
    if not torch.cuda.is_available():
        known = torch.backends.cuda.is_built()
        why = "torch finds none: is its driver installed?" if known else "this torch is built without CUDA"
        raise InputError(f"There is no CUDA device to compute on ({why}): use cpu.")
    count = torch.cuda.device_count()
    if index is not None and index >= count:
        there = "cuda:0" if count == 1 else f"cuda:0 to cuda:{count - 1}"
        raise InputError(f"There is no device cuda:{index}: use {there}, or cpu.")
    return torch.device("cuda", torch.cuda.current_device() if index is None else index)


def _mps() -> torch.device:
    if not torch.backends.mps.is_available():
        known = torch.backends.mps.is_built()
        why = "this macOS or Mac is too old for torch" if known else "only torch for Macs has it"
        raise InputError(f"There is no MPS device to compute on ({why}): use cpu.")
    return torch.device("mps", 0)


@contextmanager
def moved(network: Network, device: torch.device) -> Iterator[None]:
    """The block builds on the network's weights when they lie on the device; if it fails, they go back.

    Raises EnvironmentFault when the device fails, mostly for want of memory.
    """
    former = network.flow_lm.bos_emb.device
    if device == former:
        yield
        return
    with turn(former), turn(device):
        is_built = False
        try:
            _move(network, device)
            yield
            is_built = True
        except RuntimeError as exc:
            raise EnvironmentFault(
                f"The model can't be put on the device {device}: free some of its memory, or use cpu.",
                detail=str(exc),
            ) from exc
        finally:
            if not is_built:
                _move(network, former)


def _move(network: Network, device: torch.device) -> None:
    for module in (network.flow_lm, network.mimi):
        # What the weights came without, the encoder for instance, is on the meta device and holds nothing that could be moved.
        module._apply(lambda tensor: tensor if tensor.is_meta else tensor.to(device))  # type: ignore[no-untyped-call]


def turn(device: torch.device) -> AbstractContextManager[Any]:
    """Held by a thread while it has the device compute; nothing on devices that serve several threads."""
    return _mps_turn if device.type == "mps" else nullcontext()
