"""What the client is told of a speech while it is heard: sentence, position, loudness, buffering, devices. Main loop only."""

from collections.abc import Callable

from pocketvoice.playback import notices
from pocketvoice.playback.devices import DeviceId
from pocketvoice.playback.notices import Heard
from pocketvoice.playback.speech_player import SpeechPlayer
from pocketvoice.playback.store import SpeechStore
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.messages import (
    Buffering,
    DeviceChanged,
    DeviceName,
    Event,
    Level,
    Position,
    SentenceStarted,
    Span,
)

_SILENCE_DBFS = -60.0
_MENTION_S = 0.3
"""Waiting for less than this is not worth a word."""


class SpeechReport:
    """Tells each thing once, when it has changed."""

    def __init__(self, player: SpeechPlayer, send: Callable[[Event], None]) -> None:
        self.wanted_device: DeviceId | None = None
        """The loudspeaker that was asked for; None is the system's default."""
        self._player = player
        self._send = send
        self._last: Position | None = None
        self._was_loud = False
        self._is_buffering = False

    def heard(self, speech: QueuedSpeech) -> Heard | None:
        """What the ear hears of a speech; None if it hears nothing of it."""
        heard = self._player.heard()
        return heard if heard is not None and heard.speech_id == speech.request_id else None

    def tell(self, speech: QueuedSpeech) -> None:
        """What of the speech is heard now, as far as it changed."""
        heard, store = self.heard(speech), speech.store
        if heard is None or store is None:
            return
        sentence = store.sentence(heard.cursor)
        # Where a sentence begins is found better as more of it is made: the ear does not go back for that.
        if speech.told is None or sentence[0] > speech.told[0]:
            speech.told, speech.source = sentence, sentence[0]
            self._send(SentenceStarted(speech.request_id, sentence, store.index(sentence)))
        self._tell_position(speech, store, heard, speech.told)
        self._tell_level(heard)

    def _tell_position(self, speech: QueuedSpeech, store: SpeechStore, heard: Heard, sentence: Span) -> None:
        before_s, total_s = store.seconds(heard.cursor)
        position = Position(
            speech.request_id,
            span=sentence,
            source=max(sentence[0], store.source(heard.cursor)),
            heard_s=before_s,
            total_s=total_s,
            remaining_s=(total_s - before_s) / self._player.speed,
            made_s=store.ahead_s(heard.cursor),
        )
        if self._last is None or (position.heard_s, position.span) != (self._last.heard_s, self._last.span):
            self._last = position
            self._send(position)

    def _tell_level(self, heard: Heard) -> None:
        is_loud = heard.peak_dbfs > _SILENCE_DBFS
        if is_loud or self._was_loud:
            self._send(Level(heard.speech_id, heard.peak_dbfs, heard.rms_dbfs))
        self._was_loud = is_loud

    def silence(self) -> None:
        """Tells that it is silent now, for no speech is left."""
        if self._was_loud:
            self._was_loud = False
            self._send(Level("", -240.0, -240.0))

    def buffering(self, speech: QueuedSpeech, seconds: float) -> None:
        """Sound is being collected, for about so long; 0: it goes on."""
        if seconds > _MENTION_S:
            sentence = (
                f"This computer makes speech slower than it is spoken: collecting, about {seconds:.0f} s."
            )
            self._is_buffering = True
            self._send(Buffering(speech.request_id, seconds, sentence))
        elif self._is_buffering and not seconds:
            self._is_buffering = False
            self._send(Buffering(speech.request_id, 0.0, ""))

    def device_gone(self, speech: QueuedSpeech) -> None:
        """Tells that no device plays any more."""
        sentence = "No sound device is left: connect one, and the speech goes on."
        self._send(DeviceChanged(speech.request_id, _name(self.wanted_device), sentence))

    def device_moved(self, notice: notices.DeviceMoved) -> None:
        """Tells that another device plays now, and why."""
        self._send(DeviceChanged(notice.speech_id, _name(notice.device), self._why(notice)))

    def _why(self, notice: notices.DeviceMoved) -> str:
        where = notice.device.name if notice.device is not None else "the default device"
        if not notice.lost and notice.device == self.wanted_device:
            return f"The sound goes to {where} now."
        if self.wanted_device is not None and notice.device is None:
            return f"{self.wanted_device.name} is not connected: the sound goes to {where}."
        return f"The sound device was lost and found again: the sound goes on through {where}."


def _name(device: DeviceId | None) -> DeviceName | None:
    return None if device is None else DeviceName(device.name, device.host_api)
