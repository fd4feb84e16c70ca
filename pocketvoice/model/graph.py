"""A step as one graph: called often enough, a function of tensors runs without the interpreter between its operators.

Every operator called from Python gives the interpreter's lock away and takes it back, so FlowLM's and Mimi's threads wait for each
other some hundred times a frame; a small operator costs less than its call. A TorchScript graph does neither, and gives the
same numbers: it is recorded, not optimized. TorchScript is deprecated, without a successor that needs no compiler on the
user's machine; it is used here alone, and where it fails the function runs as it is. Not thread-safe: one owner a graph.
"""

import logging
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

log = logging.getLogger(__name__)

# Calls in a row, with one key, before one is recorded: the first sound does not wait for it (about 10 ms), and what comes once
# a segment is not worth it.
CALLS_BEFORE = 2

Outputs = tuple[Tensor, ...]
Function = Callable[..., Outputs]

_recording = threading.Lock()  # torch's tracer keeps some of its state per process


class Graph:
    """`function` of tensors, a method; what it computes with must hang on its object and must not change, except by `forget`.

    Sizes that are not the same at every call may be those of inputs only, and only along dimensions that the function does not
    ask for; calls that differ otherwise have different keys, and each key a graph of its own.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._last_key: Hashable = None
        self._calls = 0  # in a row with this key
        self._graphs: dict[Hashable, Function] = {}

    @property
    def recorded(self) -> set[Hashable]:
        """The keys that have a graph."""
        return set(self._graphs)

    def forget(self) -> None:
        """What the function computes with has changed."""
        self._calls = 0
        self._graphs.clear()

    def __call__(self, key: Hashable, *inputs: Tensor) -> Outputs:
        """The function's results; recorded under `key` once it came often enough in a row."""
        self._calls = self._calls + 1 if key == self._last_key else 1
        self._last_key = key
        graph = self._graphs.get(key)
        if graph is None:
            graph = self._function
            if self._calls > CALLS_BEFORE:
                graph = self._graphs[key] = _record(self._function, inputs)
        # Optimizing a graph takes longer than it gains here; the setting is this thread's own.
        torch._C._set_graph_executor_optimize(False)
        try:
            return graph(*inputs)
        finally:
            torch._C._set_graph_executor_optimize(True)


class Direct:
    """In the place of a graph on other devices than the CPU, where there is nothing to record: `function` as it is."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def __call__(self, key: Hashable, *inputs: Tensor) -> Outputs:
        """The function's results; the key does not matter."""
        return self._function(*inputs)


class _Holder(nn.Module):
    """What the tracer can't bake into a graph must belong to a module: tensors and objects packed for a library."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        # Past Module's own __setattr__, which would register what belongs to the function's object a second time.
        object.__setattr__(self, "_function", function)
        owner = function.__self__  # type: ignore[attr-defined]
        for number, packed in enumerate(_packed(list(vars(owner).values()), set())):
            name = f"packed_{number}"
            if isinstance(packed, Tensor):
                self.register_buffer(name, packed)
            else:
                setattr(self, name, packed)

    def forward(self, *inputs: Tensor) -> Outputs:
        """Calls the function; the name is torch's."""
        return self._function(*inputs)  # type: ignore[operator, no-any-return]


def _packed(value: Any, seen: set[int]) -> Iterator[Tensor | torch.ScriptObject]:
    """Finds everything packed for a library that hangs on `value`, at any depth, once each."""
    if id(value) in seen or isinstance(value, nn.Module | Graph):
        return
    seen.add(id(value))
    if isinstance(value, torch.ScriptObject) or (isinstance(value, Tensor) and value.is_mkldnn):
        yield value
    elif isinstance(value, list | tuple) or type(value).__module__.startswith("pocketvoice."):
        for entry in value if isinstance(value, list | tuple) else vars(value).values():
            yield from _packed(entry, seen)


def _record(function: Function, inputs: tuple[Tensor, ...]) -> Function:
    try:
        with _recording, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecation; sizes that become constants, as they should
            return torch.jit.trace(_Holder(function), inputs, check_trace=False)  # type: ignore[no-any-return]
    except (RuntimeError, AttributeError) as exc:
        log.warning("Steps run slower than they could: torch records no graph (%s)", exc)
        return function
