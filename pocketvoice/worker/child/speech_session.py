"""Whose turn it is to speak, and what the client is told of it: the speeches, the player, positions. Main loop only.

Knows the engine only as far as a speech's store fills up without its doing.
"""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import EmptyTextError, InputError, PocketVoiceError
from pocketvoice.playback import notices
from pocketvoice.playback.devices import DeviceId
from pocketvoice.playback.notices import Heard
from pocketvoice.playback.speech_player import SpeechPlayer
from pocketvoice.playback.store import Cursor, SegmentAudio, SpeechStore
from pocketvoice.text.segments import Segment, sentences_of
from pocketvoice.worker.child.replay import Replay
from pocketvoice.worker.child.speech_queue import QueuedSpeech, SpeechQueue, speech_of
from pocketvoice.worker.child.text_blocks import LETTERS, block_at, text_blocks
from pocketvoice.worker.messages import (
    Buffering,
    DeviceChanged,
    DeviceName,
    ErrorInfo,
    Event,
    Failed,
    Finished,
    Level,
    PausedChanged,
    Position,
    Preview,
    Priority,
    SeekTo,
    SentenceStarted,
    Span,
    Speak,
    Started,
    Stats,
    Stopped,
)

log = logging.getLogger(__name__)

_BACK_S = 2.0
"""Going back after so much of a sentence means its start, before that the sentence before."""
_SILENCE_DBFS = -60.0
_FILE_TEXT = "\u266a"  # what stands for a sound file where texts are counted
_LONGEST_FILE_S = 1e6  # it was read whole: none of it is given up
_MENTION_S = 0.3
"""Waiting for less than this is not worth a word."""


class SpeechSession:
    """The speeches and the player."""

    def __init__(
        self,
        player: SpeechPlayer,
        send: Callable[[Event], None],
        split: Callable[[str, int | None], Iterable[Segment]],
        *,
        sample_rate: int,
        store_s: float,
    ) -> None:
        """`split` splits a text, given the most tokens of a segment."""
        self.lineup = SpeechQueue()
        self._split = split
        self._store_s = store_s
        self._player = player
        self._send = send  # a terminal event ends its request
        self._sample_rate = sample_rate
        self._last: Position | None = None
        self._was_loud = False
        self._buffering = False
        self._wanted_device: DeviceId | None = None
        self._replay = Replay()

    # -- requests

    def speak(self, request: Speak | Preview) -> QueuedSpeech:
        """Takes a speech in by its priority."""
        speech = speech_of(request)
        before = self.lineup.current
        is_alone = before is None
        if speech.request.priority is Priority.NOW_THEN_RESUME and before is not None:
            self._interrupt(before)
        for replaced in self.lineup.add(speech):
            if replaced is before:
                self._replay.keep(replaced)
            self._send(Stopped(replaced.request_id, *self._last_words(replaced)))
        if self.lineup.current is speech:
            self._player.stop()
            self._player.wake()
            if is_alone or speech.request.priority is not Priority.ENQUEUE:
                self.pause(speech.request.paused)
        return speech

    def play_sound(self, request_id: str, samples: Samples) -> None:
        """Plays a sound that was read from a file, at its own speed: a speech of one sentence that is made already."""
        speech = self.speak(Speak(_FILE_TEXT, priority=Priority.NOW_THEN_RESUME, request_id=request_id))
        store = SpeechStore(self._sample_rate, [(0, len(_FILE_TEXT))], capacity_s=_LONGEST_FILE_S)
        store.begin((0, len(_FILE_TEXT)))
        store.add(samples)
        store.end()
        store.own_speed = 1.0
        speech.store, speech.is_file = store, True
        self._begin(speech)

    def stop(self, speech: QueuedSpeech) -> None:
        """Ends a speech; the next one goes on."""
        self._end(speech, Stopped(speech.request_id, *self._last_words(speech)))

    def fail(self, speech: QueuedSpeech, error: ErrorInfo) -> None:
        """Ends a speech that can't go on."""
        self._end(speech, Failed(speech.request_id, error, speech.source))

    def pause(self, paused: bool) -> None:
        """Holds the sound, or goes on."""
        if self._player.paused is not paused:
            self._player.paused = paused
            self._send(PausedChanged(self._current_id, paused))

    def seek(self, to: int | SeekTo) -> None:
        """Moves the current speech; raises InputError if there is none."""
        speech = self.lineup.current
        if speech is None:
            raise InputError("Nothing is being spoken: there is no place to go to.")
        if speech.store is None or not speech.has_begun:
            if isinstance(to, int):
                speech.request, speech.source = replace(speech.request, start=to), to
            return
        target = self._target(speech, speech.store, to)
        if target is None:
            self._end(speech, Finished(speech.request_id, self._stats(speech)))
        else:
            self._play(speech, speech.store, target)

    def use_device(self, device: DeviceName | None) -> None:
        """Plays elsewhere from now on."""
        self._wanted_device = None if device is None else DeviceId(device.name, device.host_api)
        self._player.use_device(self._wanted_device)

    # -- what happens

    def model_is_ready(self) -> None:
        """What has waited for a model can be split, and begin."""
        self._replay.forget()
        for speech in self.lineup:
            if speech.is_file:
                continue
            try:
                self.prepare(speech)
            except PocketVoiceError as exc:
                self.fail(speech, ErrorInfo.from_exception(exc))

    def prepare(self, speech: QueuedSpeech) -> None:
        """Splits the part of the text that is spoken first, and begins if it is its turn; raises EmptyTextError."""
        request = speech.request
        speech.arrived_at = time.monotonic()
        store = self._kept_store(speech) or self._new_store(speech)
        cursor = self._place(speech, store, request.start)
        if store.is_all_silent():
            raise EmptyTextError("The text holds nothing that can be spoken.")
        speech.store = store
        store.aim(cursor)
        if self.lineup.current is speech:
            self._begin(speech)

    def _kept_store(self, speech: QueuedSpeech) -> SpeechStore | None:
        kept = self._replay.take(speech.request)
        if kept is None:
            return None
        speech.blocks, speech.planned = kept.blocks, kept.planned
        return kept.store

    def _new_store(self, speech: QueuedSpeech) -> SpeechStore:
        speech.blocks = text_blocks(speech.request.text, speech.request.stop)
        if not speech.blocks:
            raise EmptyTextError("There is no text to speak.")
        spans = [(block.start, block.stop) for block in speech.blocks]
        return SpeechStore(self._sample_rate, spans, capacity_s=self._store_s, rough=True)

    def plan(self, speech: QueuedSpeech, store: SpeechStore, segment: SegmentAudio) -> None:
        """Splits the text of a segment that is not planned, a few milliseconds: what it finds is kept for the engine.

        It is a block that was not looked at yet, or what a seek or failed takes have left of a planned segment. The latter is split
        a second time, together with what follows: other words stand together now, and one or two left alone would be garbled.
        """
        if not segment.needs_plan:
            return
        request, start = speech.request, segment.span[0]
        block = block_at(speech.blocks, start)
        stop = store.to_plan(segment, block.stop, LETTERS)
        planned = block.plan(request.text, lambda text: self._split(text, request.max_tokens), start, stop)
        speech.planned.update((one.span, one) for one in planned)
        store.refine(segment, [one.span for one in planned], sentences_of(planned), stop)

    def to_make(self, speech: QueuedSpeech, store: SpeechStore) -> list[SegmentAudio]:
        """What the engine makes next: segments that follow each other in a block; none if what is left holds nothing to speak."""
        missing = store.missing_from(store.near())
        if missing is not None and missing.needs_plan:
            self.plan(speech, store, missing)
            missing = store.missing_from(store.near())
        if missing is None or missing.needs_plan:
            return []
        return store.unmade(missing, block_at(speech.blocks, missing.span[0]).stop)

    def on_notice(self, notice: notices.Notice) -> None:
        """The player said something; what belongs to a speech that has ended is void."""
        if isinstance(notice, notices.DeviceMoved):
            self._send(DeviceChanged(notice.speech_id, _name(notice.device), self._moved(notice)))
            return
        speech = self.lineup.current
        if speech is None or speech.request_id != notice.speech_id:
            return
        match notice:
            case notices.DeviceGone():
                device = _name(self._wanted_device)
                self._send(
                    DeviceChanged(
                        speech.request_id,
                        device,
                        "No sound device is left: connect one, and the speech goes on.",
                    )
                )
            case notices.Sounding():
                self._on_sounding(speech)
            case notices.Prebuffering():
                self._on_banking(speech, notice.seconds)
            case notices.PlayedOut():
                self._tell(speech)
                self._end(speech, Finished(speech.request_id, self._stats(speech)))
            case notices.Broken():
                self.fail(speech, ErrorInfo.from_exception(notice.error))

    def tick(self) -> None:
        """Twenty times a second: what is heard now."""
        self._replay.tick()
        if self.lineup.current is not None:
            self._tell(self.lineup.current)

    # -- within

    def _place(self, speech: QueuedSpeech, store: SpeechStore, source: int) -> Cursor:
        """The start of the sentence that holds an index of the text."""
        self.plan(speech, store, store.segment_at(source))
        cursor = store.open_at(source)
        self.plan(speech, store, cursor.segment)  # it was cut there
        return store.at(source)

    @property
    def _current_id(self) -> str:
        return self.lineup.current.request_id if self.lineup.current is not None else ""

    def _begin(self, speech: QueuedSpeech) -> None:
        """It is its turn: to begin, or to go on."""
        if speech.store is None:
            self._player.wake()
            return
        resumed, speech.has_begun = speech.has_begun, True
        if not speech.was_heard:
            speech.underruns_before = self._player.underruns
        self._send(Started(speech.request_id, speech.store.sentences, resumed))
        if resumed:
            self.pause(speech.paused)
        self._play(speech, speech.store, self._place(speech, speech.store, speech.source))

    def _play(self, speech: QueuedSpeech, store: SpeechStore, cursor: Cursor) -> None:
        speech.source, speech.told = store.sentence(cursor)[0], None
        store.aim(cursor)
        self._player.play(speech.request_id, store, cursor)

    def _interrupt(self, speech: QueuedSpeech) -> None:
        self._tell(speech)
        speech.paused = self._player.paused

    def _end(self, speech: QueuedSpeech, event: Event) -> None:
        was_current = self.lineup.current is speech
        self.lineup.remove(speech)
        if was_current:
            self._player.stop()
        self._send(event)
        following = self.lineup.current
        if following is None and not isinstance(event, Failed):
            self._replay.keep(speech)
        if was_current and following is not None:
            following.arrived_at = time.monotonic()
            self._begin(following)
        elif following is None:
            self._on_empty()

    def _on_empty(self) -> None:
        self.pause(False)
        if self._was_loud:
            self._was_loud = False
            self._send(Level("", -240.0, -240.0))

    def _target(self, speech: QueuedSpeech, store: SpeechStore, to: int | SeekTo) -> Cursor | None:
        if isinstance(to, int):
            return self._place(speech, store, to)
        heard = self._heard(speech)
        start = store.at(speech.source)
        here = speech.told or store.sentence(start)
        if to is SeekTo.NEXT:
            following = store.sentence_beside(here, 1)
            return None if following is None else self._place(speech, store, following[0])
        far_in = heard is not None and _between_s(store, start, heard.cursor) > _BACK_S
        back = here if far_in else store.sentence_beside(here, -1)
        return None if back is None else self._place(speech, store, back[0] if far_in else back[1] - 1)

    def _last_words(self, speech: QueuedSpeech) -> tuple[int, Stats]:
        self._tell(speech)
        return speech.source, self._stats(speech)

    def _stats(self, speech: QueuedSpeech) -> Stats:
        return speech.stats(self._player.underruns)

    def _heard(self, speech: QueuedSpeech) -> Heard | None:
        heard = self._player.heard()
        return heard if heard is not None and heard.speech_id == speech.request_id else None

    def _tell(self, speech: QueuedSpeech) -> None:
        """Tells the client what of the speech is heard now, as far as it changed."""
        heard, store = self._heard(speech), speech.store
        if heard is None or store is None:
            return
        sentence = store.sentence(heard.cursor)
        if (
            speech.told is None or sentence[0] > speech.told[0]
        ):  # where it begins is found better as it is made
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

    def _on_sounding(self, speech: QueuedSpeech) -> None:
        if speech.first_sound_s is None:
            speech.first_sound_s = time.monotonic() - speech.arrived_at
        speech.was_heard = True

    def _on_banking(self, speech: QueuedSpeech, seconds: float) -> None:
        if seconds > _MENTION_S:
            sentence = (
                f"This computer makes speech slower than it is spoken: collecting, about {seconds:.0f} s."
            )
            self._buffering = True
            self._send(Buffering(speech.request_id, seconds, sentence))
        elif self._buffering and not seconds:
            self._buffering = False
            self._send(Buffering(speech.request_id, 0.0, ""))

    def _moved(self, notice: notices.DeviceMoved) -> str:
        where = notice.device.name if notice.device is not None else "the default device"
        if not notice.lost and notice.device == self._wanted_device:
            return f"The sound goes to {where} now."
        if self._wanted_device is not None and notice.device is None:
            return f"{self._wanted_device.name} is not connected: the sound goes to {where}."
        return f"The sound device was lost and found again: the sound goes on through {where}."


def _between_s(store: SpeechStore, start: Cursor, stop: Cursor) -> float:
    return store.seconds(stop)[0] - store.seconds(start)[0]


def _name(device: DeviceId | None) -> DeviceName | None:
    return None if device is None else DeviceName(device.name, device.host_api)
