"""A voice between recording and saving: a folder in staging that this process holds. Not for two threads at once."""

from pathlib import Path

from pocketvoice.audio.chunk import Samples
from pocketvoice.voices.voice import NewVoice, Voice


class Draft:
    """Made by `VoiceLibrary.draft`."""

    @property
    def clip_path(self) -> Path:
        """The clip as FLAC: `source` of the worker's CloneVoice."""
        raise NotImplementedError

    def state_path(self, model_id: str) -> Path:
        """Where CloneVoice is to write the state for these weights (`path`); it is saved with the voice.

        Speak and Preview take it as `voice=str(path)`, so that takes with several seeds can be heard before saving.
        """
        raise NotImplementedError

    def set_preview(self, samples: Samples) -> None:
        """The sentence as it was spoken in the chosen take; 24 kHz, (T,)."""
        raise NotImplementedError

    def save(self, new: NewVoice) -> Voice:
        """Into the library, with the states and the preview that were made; the draft is over.

        Raises InputError if the name is taken or empty, and the errors of writing: the draft stays then.
        """
        raise NotImplementedError

    def discard(self) -> None:
        """Deletes it. Twice does no harm, nor after `save`."""
        raise NotImplementedError
