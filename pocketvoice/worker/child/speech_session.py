"""Whose turn it is to speak: the speeches in their order, and the player that plays the first of them. Main loop only.

Knows the engine only as far as a speech's store fills up without its doing. What is split when stands in `speech_planner`, what the
client is told while it listens in `speech_report`.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import EmptyTextError, InputError, PocketVoiceError
from pocketvoice.playback import notices
from pocketvoice.playback.devices import DeviceId
from pocketvoice.playback.speech_player import SpeechPlayer
from pocketvoice.playback.store import Cursor, SegmentAudio, SpeechStore
from pocketvoice.text.segment import Segment
from pocketvoice.worker.child.speech_planner import SpeechPlanner
from pocketvoice.worker.child.speech_queue import QueuedSpeech, SpeechQueue, speech_of
from pocketvoice.worker.child.speech_report import SpeechReport
from pocketvoice.worker.messages import (
    DeviceName,
    ErrorInfo,
    Event,
    Failed,
    Finished,
    PausedChanged,
    Preview,
    Priority,
    SeekTo,
    Speak,
    Started,
    Stats,
    Stopped,
)

_BACK_S = 2.0
"""Behind so much of a sentence, going back leads to its start; before that, to the sentence before."""
_FILE_TEXT = "\u266a"  # what stands for a sound file where texts are counted
_LONGEST_FILE_S = 1e6  # it was read whole: none of it is given up


class SpeechSession:
    """The speeches and the player."""

    def __init__(
        self,
        player: SpeechPlayer,
        send: Callable[[Event], None],
        split: Callable[[str, Speak], Iterable[Segment]],
        *,
        sample_rate: int,
        store_s: float,
    ) -> None:
        """`split` splits a text, as a request wants it; a terminal event that is sent ends its request."""
        self.queue = SpeechQueue()
        """The speeches that have not ended."""
        self._player = player
        self._send = send
        self._sample_rate = sample_rate
        self._planner = SpeechPlanner(split, sample_rate=sample_rate, store_s=store_s)
        self._report = SpeechReport(player, send)

    # -- requests

    def speak(self, request: Speak | Preview) -> QueuedSpeech:
        """Takes a speech in by its priority."""
        speech = speech_of(request)
        before = self.queue.current
        is_alone = before is None
        if speech.request.priority is Priority.NOW_THEN_RESUME and before is not None:
            self._interrupt(before)
        for replaced in self.queue.add(speech):
            if replaced is before:
                self._planner.replay.keep(replaced)
            self._send(Stopped(replaced.request_id, *self._last_words(replaced)))
        if self.queue.current is speech:
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
            current = self.queue.current
            if current is not None and current.first_sound_s is not None and not paused:
                current.was_heard = True
            self._send(PausedChanged(current.request_id if current is not None else "", paused))

    def seek(self, to: int | SeekTo) -> None:
        """Moves the current speech; raises InputError if there is none."""
        speech = self.queue.current
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
        wanted = None if device is None else DeviceId(device.name, device.host_api)
        self._report.wanted_device = wanted
        self._player.use_device(wanted)

    # -- what happens

    def model_is_ready(self) -> None:
        """What has waited for a model can be split, and begin."""
        self._planner.replay.forget()
        self.begin_waiting()

    def wait_for_model(self) -> None:
        """What has not been heard yet is prepared anew when a model is ready."""
        if self.queue.current is not None and not self.queue.current.is_file:
            self._player.stop()
        for speech in self.queue:
            if not speech.is_file:
                speech.store, speech.has_begun = None, False

    def begin_waiting(self) -> None:
        """Splits what has come while there was no model."""
        for speech in self.queue:
            if not speech.is_file and speech.store is None:
                self.prepare_or_fail(speech)

    def prepare_or_fail(self, speech: QueuedSpeech) -> None:
        """Prepares a speech; one that can't be spoken ends as Failed."""
        try:
            self.prepare(speech)
        except PocketVoiceError as exc:
            self.fail(speech, ErrorInfo.from_exception(exc))

    def prepare(self, speech: QueuedSpeech) -> None:
        """Splits the part of the text that is spoken first, and begins if it is its turn; raises EmptyTextError."""
        speech.arrived_at = time.monotonic()
        store = self._planner.store(speech)
        cursor = self._planner.place(speech, store, speech.request.start)
        if store.is_all_silent():
            raise EmptyTextError("The text holds nothing that can be spoken.")
        speech.store = store
        store.aim(cursor)
        if self.queue.current is speech:
            self._begin(speech)

    def to_make(self, speech: QueuedSpeech, store: SpeechStore) -> list[SegmentAudio]:
        """What the engine makes next of a speech."""
        return self._planner.to_make(speech, store)

    def on_notice(self, notice: notices.Notice) -> None:
        """The player said something; what belongs to a speech that has ended is void."""
        if isinstance(notice, notices.DeviceMoved):
            self._report.device_moved(notice)
            return
        speech = self.queue.current
        if speech is None or speech.request_id != notice.speech_id:
            return
        match notice:
            case notices.DeviceGone():
                self._report.device_gone(speech)
            case notices.Sounding():
                self._on_sounding(speech)
            case notices.Prebuffering():
                self._report.buffering(speech, notice.seconds)
            case notices.PlayedOut():
                self._report.tell(speech)
                self._end(speech, Finished(speech.request_id, self._stats(speech)))
            case notices.Broken():
                self.fail(speech, ErrorInfo.from_exception(notice.error))

    def _on_sounding(self, speech: QueuedSpeech) -> None:
        if speech.first_sound_s is None:
            speech.first_sound_s = time.monotonic() - speech.arrived_at
        if not self._player.paused:  # else its sound is there, and held
            speech.was_heard = True

    def tick(self) -> None:
        """Twenty times a second: what is heard now."""
        self._planner.replay.tick()
        if self.queue.current is not None:
            self._report.tell(self.queue.current)

    # -- turns

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
        self._play(speech, speech.store, self._planner.place(speech, speech.store, speech.source))

    def _play(self, speech: QueuedSpeech, store: SpeechStore, cursor: Cursor) -> None:
        speech.source, speech.told = store.sentence(cursor)[0], None
        store.aim(cursor)
        self._player.play(speech.request_id, store, cursor)

    def _interrupt(self, speech: QueuedSpeech) -> None:
        self._report.tell(speech)
        speech.paused = self._player.paused

    def _end(self, speech: QueuedSpeech, event: Event) -> None:
        was_current = self.queue.current is speech
        self.queue.remove(speech)
        if was_current:
            self._player.stop()
        self._send(event)
        following = self.queue.current
        if following is None and not isinstance(event, Failed):
            self._planner.replay.keep(speech)
        if was_current and following is not None:
            following.arrived_at = time.monotonic()
            self._begin(following)
        elif following is None:
            self.pause(False)
            self._report.silence()

    def _target(self, speech: QueuedSpeech, store: SpeechStore, to: int | SeekTo) -> Cursor | None:
        """Where a seek leads; None: behind the end."""
        if isinstance(to, int):
            return self._planner.place(speech, store, to)
        start = store.at(speech.source)
        here = speech.told or store.sentence(start)
        if to is SeekTo.NEXT:
            following = store.sentence_beside(here, 1)
            return None if following is None else self._planner.place(speech, store, following[0])
        heard = self._report.heard(speech)
        if heard is not None and _between_s(store, start, heard.cursor) > _BACK_S:
            return self._planner.place(speech, store, here[0])
        before = store.sentence_beside(here, -1)
        return None if before is None else self._planner.place(speech, store, before[1] - 1)

    def _last_words(self, speech: QueuedSpeech) -> tuple[int, Stats]:
        self._report.tell(speech)
        return speech.source, self._stats(speech)

    def _stats(self, speech: QueuedSpeech) -> Stats:
        return speech.stats(self._player.underruns)


def _between_s(store: SpeechStore, start: Cursor, stop: Cursor) -> float:
    return store.seconds(stop)[0] - store.seconds(start)[0]
