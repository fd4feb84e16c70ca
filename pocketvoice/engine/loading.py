"""From a language name or a config's address to a network in memory: configs, weights files and tokenizer put together.

The only place that joins hub, model and text at load time. Which weights were taken, and why, is part of the result.
"""

import threading
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from pocketvoice.errors import ConfigError, InputError
from pocketvoice.hub import catalogue
from pocketvoice.hub.download import fetch
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.hub.weights import FetchedWeights, fetch_weights
from pocketvoice.model import weights
from pocketvoice.model.config import ModelConfig, load_config
from pocketvoice.model.weights import Network
from pocketvoice.text.rules import TextRules
from pocketvoice.text.tokenizer import Tokenizer, load_tokenizer

REFERENCE_LANGUAGE = "english"
"""What is loaded when a caller names nothing, as in the reference; `catalogue.default_language` is what is installed."""


@dataclass(frozen=True)
class LoadedModel:
    """Everything on disk that a model is made of."""

    network: Network
    tokenizer: Tokenizer
    language: str | None  # its name in the catalogue; None for a config of the user's
    model_id: str  # language or config name, and the fingerprint of the weights
    origin: str  # where the config came from
    has_voice_cloning: bool
    cloning_reason: str  # one sentence: which weights these are and why
    has_custom_weights: bool  # a training checkpoint: prepared voices do not fit


@dataclass(frozen=True)
class _Files:
    """Weights in memory, and how they were come by."""

    network: Network
    cloning: bool
    reason: str


@dataclass(frozen=True)
class Fetcher:
    """Downloads with the caller's progress callback and cancel event."""

    progress: ProgressCallback | None = None
    cancel: threading.Event | None = None

    def path(self, source: str) -> Path:
        """The local file of a source."""
        return fetch(source, progress=self.progress, cancel=self.cancel)

    def weights(self, config: ModelConfig) -> FetchedWeights:
        """The bundle of a config, with cloning if it can be had."""
        assert config.weights_path is not None, "asked for a bundle that the config does not name"
        public = config.weights_path_without_voice_cloning
        return fetch_weights(config.weights_path, public, progress=self.progress, cancel=self.cancel)


def config_source(language: str | None, config: str | Path | None) -> tuple[str | None, str]:
    """The language (None for the user's own config) and the address of the config."""
    if config is not None and language is not None:
        raise InputError("Cannot specify both config and language, please choose one or the other.")
    if config is None:
        language = language or REFERENCE_LANGUAGE
        return language, str(catalogue.entry(language).config_path)
    address = str(config)
    bare = address.rsplit("@", 1)[0] if address.startswith("hf://") else address
    if not bare.endswith((".yaml", ".yml")):
        raise ConfigError(f"A model config is a YAML file ending with .yaml, which {address} is not.")
    return None, address


def load(
    language: str | None, config: str | Path | None, checkpoint: str | Path | None, fetcher: Fetcher
) -> LoadedModel:
    """Loads a model; raises the errors of its parts."""
    language, address = config_source(language, config)
    model_config = load_config(fetcher.path(address))
    files = (
        _checkpoint(model_config, Path(checkpoint), fetcher)
        if checkpoint
        else _weights(model_config, fetcher)
    )
    table = model_config.flow_lm.lookup_table
    name = language or Path(address.rsplit("@", 1)[0]).stem
    return LoadedModel(
        network=files.network,
        tokenizer=load_tokenizer(fetcher.path(table.tokenizer_path), table.tokenizer, table.n_bins),
        language=language,
        model_id=f"{name}-{files.network.fingerprint}",
        origin=address,
        has_voice_cloning=files.cloning and files.network.has_encoder,
        cloning_reason=files.reason if files.network.has_encoder or not files.cloning else _NO_ENCODER,
        has_custom_weights=checkpoint is not None,
    )


_NO_ENCODER = "The weights come without the codec's encoder: voices can't be cloned with them."
_LOCAL = "The weights named in the config are loaded."


def _weights(config: ModelConfig, fetcher: Fetcher) -> _Files:
    """The bundle, or FlowLM and Mimi from files of their own; a Mimi file replaces the bundle's."""
    lm_source, mimi_source = config.flow_lm.weights_path, config.mimi.weights_path
    _check_sources(config)
    if config.weights_path is None:
        assert lm_source is not None
        assert mimi_source is not None
        return _separate(config, fetcher.path(lm_source), fetcher.path(mimi_source))
    fetched = fetcher.weights(config)
    bundle = weights.read_safetensors(fetched.path)
    mimi = bundle if mimi_source is None else weights.read_safetensors(fetcher.path(mimi_source))
    network = weights.build(config, weights.flow_lm_tensors(bundle), weights.mimi_tensors(mimi))
    return _Files(network, fetched.has_voice_cloning, fetched.reason)


def _check_sources(config: ModelConfig) -> None:
    lm_source, mimi_source = config.flow_lm.weights_path, config.mimi.weights_path
    if lm_source is not None and mimi_source is None:
        raise ConfigError("If you specify flow_lm.weights_path you should specify mimi.weights_path.")
    if config.weights_path is None and lm_source is None:
        missing = "flow_lm.weights_path or weights_path" if mimi_source is not None else "weights_path"
        raise ConfigError(f"The model config names no weights: set {missing}.")


def _separate(config: ModelConfig, lm_path: Path, mimi_path: Path) -> _Files:
    lm, mimi = weights.read_safetensors(lm_path), weights.read_safetensors(mimi_path)
    network = weights.build(config, weights.flow_lm_tensors(lm), weights.mimi_tensors(mimi))
    return _Files(network, True, _LOCAL)


def _checkpoint(config: ModelConfig, path: Path, fetcher: Fetcher) -> _Files:
    """A training checkpoint; Mimi, which training freezes, comes from the config where the checkpoint has none."""
    flow_lm, mimi = weights.checkpoint_tensors(path)
    cloning, reason = True, _LOCAL
    if not mimi:
        mimi, cloning, reason = _frozen_mimi(config, fetcher)
    network = weights.build(config, flow_lm, mimi)
    return _Files(network, cloning, reason)


def _frozen_mimi(config: ModelConfig, fetcher: Fetcher) -> tuple[dict[str, Tensor], bool, str]:
    if config.mimi.weights_path is not None:
        path = fetcher.path(config.mimi.weights_path)
        return weights.mimi_tensors(weights.read_safetensors(path)), True, _LOCAL
    if config.weights_path is None:
        raise ConfigError("The model config names no Mimi weights: set mimi.weights_path or weights_path.")
    fetched = fetcher.weights(config)
    tensors = weights.mimi_tensors(weights.read_safetensors(fetched.path))
    return tensors, fetched.has_voice_cloning, fetched.reason


def text_rules(config: ModelConfig) -> TextRules:
    """How texts are prepared for the model."""
    return TextRules(
        replace_characters=config.replace_characters,
        remove_semicolons=config.remove_semicolons,
        append_terminal_punctuation=config.append_terminal_punctuation,
        capitalize_first_letter=config.capitalize_first_letter,
        pad_with_spaces_for_short_inputs=config.pad_with_spaces_for_short_inputs,
    )
