"""Speeches out of stores: what is heard, where the ear is, and what happens when it changes its mind or loses its device."""

import queue
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.devices import DeviceId
from pocketvoice.playback.notices import (
    Broken,
    DeviceGone,
    DeviceMoved,
    Notice,
    PlayedOut,
    Prebuffering,
    Sounding,
)
from pocketvoice.playback.null_output import NullOutput
from pocketvoice.playback.speech_player import SpeechPlayer
from pocketvoice.playback.store import SpeechStore
from tests.waiting import until

RATE = 24_000


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 0.7, int(RATE * seconds)).astype(np.float32)


def level(seconds: float, value: float) -> np.ndarray:
    return np.full(int(RATE * seconds), value, np.float32)


def spans(count: int) -> list[tuple[int, int]]:
    return [(100 * i, 100 * i + 90) for i in range(count)]


def stored(*sentences: np.ndarray) -> SpeechStore:
    """A store where everything is made."""
    store = SpeechStore(RATE, spans(len(sentences)))
    for span, samples in zip(spans(len(sentences)), sentences, strict=True):
        store.begin(span)
        store.add(samples)
        store.end()
    return store


class Deck:
    """A player with null outputs, and what it said."""

    def __init__(self, **options: object) -> None:
        self.outputs: list[NullOutput] = []
        self.notices: queue.Queue[Notice] = queue.Queue()
        self.make: Callable[[DeviceId | None], NullOutput] = lambda _: NullOutput(latency_s=0.05)
        self.made_per_s: float | None = None
        self.player = SpeechPlayer(
            self._open, RATE, self.notices.put, made_per_s=lambda: self.made_per_s, **options
        )

    def _open(self, device: DeviceId | None) -> NullOutput:
        output = self.make(device)
        self.outputs.append(output)
        return output

    def real_time(self) -> None:
        self.make = lambda _: NullOutput(latency_s=0.03, real_time=True, lost_s=0.3)

    def play(self, store: SpeechStore, source: int = 0, name: str = "a") -> None:
        self.player.play(name, store, store.at(source))

    def wait_for(self, kind: type, timeout_s: float = 10) -> Notice:
        deadline = time.monotonic() + timeout_s
        while True:
            notice = self.notices.get(timeout=max(0.01, deadline - time.monotonic()))
            if isinstance(notice, kind):
                return notice
            assert not isinstance(notice, Broken), notice

    @property
    def heard(self) -> np.ndarray:
        return np.concatenate([output.heard for output in self.outputs])


@pytest.fixture
def deck() -> Iterator[Deck]:
    deck = Deck()
    yield deck
    deck.player.close()
    assert not deck.player._thread.is_alive()


def sound_in(heard: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(heard)
    return heard[loud[0] : loud[-1] + 1] if len(loud) else heard[:0]


def test_speech_is_heard_to_the_sample(deck: Deck) -> None:
    sentences = [noise(0.5, 1), noise(0.7, 2), noise(0.3, 3)]
    deck.play(stored(*sentences))
    assert deck.wait_for(Sounding) == Sounding("a")
    assert deck.wait_for(PlayedOut) == PlayedOut("a")
    assert np.array_equal(sound_in(deck.heard), np.concatenate(sentences))
    assert deck.player.underruns == 0


def test_begins_in_the_middle(deck: Deck) -> None:
    sentences = [noise(0.5, 1), noise(0.7, 2)]
    deck.play(stored(*sentences), source=150)
    deck.wait_for(PlayedOut)
    assert np.array_equal(sound_in(deck.heard), sentences[1])


def test_sound_is_played_while_made(deck: Deck) -> None:
    store = SpeechStore(RATE, spans(2))
    deck.play(store)
    made = [noise(0.3, 1), noise(0.4, 2)]
    for span, samples in zip(spans(2), made, strict=True):
        store.begin(span)
        for part in np.array_split(samples, 5):
            store.add(part)
            time.sleep(0.01)
        store.end()
    deck.wait_for(PlayedOut)
    heard = deck.heard
    assert np.array_equal(heard[heard > 0], np.concatenate(made))


def test_nothing_old_after_another_play(deck: Deck) -> None:
    deck.real_time()
    deck.play(stored(level(5, 0.5)))
    until(lambda: deck.player.heard() is not None)
    time.sleep(0.1)
    deck.play(stored(level(0.3, -0.5)), name="b")
    assert deck.wait_for(PlayedOut) == PlayedOut("b")
    heard = deck.heard
    last_old, first_new = np.flatnonzero(heard > 0)[-1], np.flatnonzero(heard < 0)[0]
    assert last_old < first_new
    assert (heard < 0).sum() == int(0.3 * RATE)
    fade = heard[last_old - 400 : last_old + 1]
    assert np.abs(np.diff(fade)).max() < 0.01  # no click
    assert (first_new - last_old) / RATE < 0.05


def test_stop_fades_and_is_final(deck: Deck) -> None:
    deck.real_time()
    deck.play(stored(level(5, 0.5)))
    until(lambda: deck.player.heard() is not None)
    time.sleep(0.1)
    before = deck.outputs[0]._given
    deck.player.stop()
    time.sleep(0.3)
    end = np.flatnonzero(deck.heard)[-1]
    assert end - before < 0.025 * RATE  # the fade, and the block that was just being taken
    assert np.abs(np.diff(deck.heard[RATE // 20 :])).max() < 0.01
    assert deck.player.heard() is None
    assert deck.notices.qsize() == 1  # Sounding: a stop is nobody's end


def test_pause_loses_no_sample(deck: Deck) -> None:
    deck.real_time()
    sound = noise(0.6)
    deck.play(stored(sound))
    pauses = 0
    while pauses < 3:
        time.sleep(0.09)
        deck.player.paused = True
        until(lambda: deck.outputs[0]._blocks and not deck.outputs[0]._blocks[-1].any())
        at = deck.player.heard()
        time.sleep(0.1)
        assert deck.player.heard() is not None
        assert at is not None
        deck.player.paused = False
        pauses += 1
    deck.wait_for(PlayedOut)
    pieces = np.split(deck.heard, np.flatnonzero(np.diff((deck.heard == 0).astype(int))) + 1)
    pieces = [piece for piece in pieces if piece.any()]
    assert len(pieces) == 4
    whole = pieces[0]
    for piece in pieces[1:]:  # the fade out and the fade in make up the sound itself; each lacks one zero
        fade = int(0.01 * RATE)
        joined = np.zeros(len(whole) + len(piece) - fade + 2, np.float32)
        joined[: len(whole)] += whole
        joined[len(joined) - len(piece) :] += piece
        whole = joined
    assert len(whole) == len(sound)
    assert np.abs(whole - sound).max() < 1e-5


def test_paused_from_the_start_is_silent(deck: Deck) -> None:
    deck.real_time()
    deck.player.paused = True
    sound = noise(0.2)
    deck.play(stored(sound))
    time.sleep(0.15)
    assert not deck.heard.any()
    deck.player.paused = False
    deck.wait_for(PlayedOut)
    assert np.array_equal(sound_in(deck.heard), sound)


def test_stop_while_paused_leaks_nothing(deck: Deck) -> None:
    deck.real_time()
    deck.play(stored(level(5, 0.5)))
    until(lambda: deck.player.heard() is not None)
    deck.player.paused = True
    time.sleep(0.1)
    deck.player.stop()
    deck.player.paused = False
    deck.play(stored(level(0.1, -0.5)), name="b")
    deck.wait_for(PlayedOut)
    after = deck.heard[np.flatnonzero(deck.heard > 0)[-1] + 1 :]
    assert (after < 0).sum() == int(0.1 * RATE)
    assert (after <= 0).all()


def test_position_follows_the_ear(deck: Deck) -> None:
    deck.real_time()
    store = stored(level(0.4, 0.1), level(0.4, 0.2))
    deck.play(store)
    seen = []
    while (heard := deck.player.heard()) is None or heard.cursor.segment.span == (0, 90):
        if heard is not None:
            seen.append(heard.cursor.offset)
        time.sleep(0.005)
    now = np.abs(deck.outputs[0].heard)
    assert 0 <= heard.cursor.offset < 0.1 * RATE
    assert seen == sorted(seen)
    assert np.count_nonzero(now > 0.15) < 0.1 * RATE
    assert heard.peak_dbfs == pytest.approx(-14, abs=0.1)
    assert store.source(heard.cursor) == pytest.approx(100, abs=25)
    deck.wait_for(PlayedOut)


@pytest.mark.parametrize("speed", [0.5, 1.5, 3.0])
def test_speed_keeps_pitch(deck: Deck, speed: float) -> None:
    tone = (0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * RATE) / RATE)).astype(np.float32)
    deck.player.speed = speed
    deck.play(stored(tone[:RATE], tone[RATE:]))
    deck.wait_for(PlayedOut)
    heard = sound_in(deck.heard)
    assert len(heard) / RATE == pytest.approx(2 / speed, rel=0.03)
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    assert np.argmax(spectrum) * RATE / len(heard) == pytest.approx(440, abs=2)


def test_speed_changes_while_speaking(deck: Deck) -> None:
    deck.real_time()
    tone = (0.5 * np.sin(2 * np.pi * 200 * np.arange(3 * RATE) / RATE)).astype(np.float32)
    store = stored(tone)
    deck.play(store)
    for speed in (1.0, 2.0, 0.7, 1.0, 3.0):
        deck.player.speed = speed
        time.sleep(0.2)
        heard = deck.player.heard()
        assert heard is not None
    deck.wait_for(PlayedOut)
    assert np.abs(np.diff(deck.heard)).max() < 0.05  # no click: a sine moves by 0.026 a sample
    assert 1.0 < len(sound_in(deck.heard)) / RATE < 2.9


def test_volume_and_limiter(deck: Deck) -> None:
    loud = level(0.3, 0.9)
    deck.player.volume = 2.0
    deck.play(stored(loud))
    deck.wait_for(PlayedOut)
    assert 0.95 < deck.heard.max() < 1.0
    deck.player.volume = 0.0
    begun = len(deck.heard)
    deck.play(stored(loud))
    deck.wait_for(PlayedOut)
    assert deck.heard[begun + RATE // 10 :].max() == 0.0


def test_missing_sound_is_waited_for(deck: Deck) -> None:
    deck.real_time()
    store = SpeechStore(RATE, spans(1))
    deck.play(store)
    store.begin((0, 90))
    store.add(level(0.2, 0.5))
    time.sleep(0.5)
    assert deck.player.underruns == 1
    store.add(level(0.2, 0.5))
    store.end()
    deck.wait_for(PlayedOut)
    assert (deck.heard > 0).sum() == int(0.4 * RATE)


def test_slow_model_is_prebuffered_for(deck: Deck) -> None:
    """Half of real time: half of the 20 letters' 1.3 s has to be there before the first word."""
    deck.real_time()
    deck.made_per_s = 0.55
    store = SpeechStore(RATE, [(0, 20)])
    deck.play(store)
    store.begin((0, 20))
    store.add(level(0.2, 0.5))
    notice = deck.wait_for(Prebuffering)
    assert isinstance(notice, Prebuffering)
    assert notice.seconds == pytest.approx(0.82, abs=0.1)  # (0.65 - 0.2) / 0.55
    time.sleep(0.1)
    assert not deck.heard.any()
    store.add(level(0.5, 0.5))
    assert deck.wait_for(Prebuffering) == Prebuffering("a", 0.0)
    store.end()
    deck.wait_for(PlayedOut)
    assert deck.player.underruns == 0


def test_new_take_replaces_the_old(deck: Deck) -> None:
    deck.real_time()
    store = SpeechStore(RATE, spans(1))
    deck.play(store)
    store.begin((0, 90))
    store.add(level(2, 0.5))
    until(lambda: deck.player.heard() is not None)
    store.begin((0, 90))
    store.add(level(0.2, -0.5))
    store.end()
    deck.wait_for(PlayedOut)
    assert (deck.heard > 0).sum() < RATE
    assert (deck.heard < 0).sum() == int(0.2 * RATE)


@pytest.mark.parametrize("how", ["fail", "hang"])
@pytest.mark.expects_log("the sound device was lost")
def test_lost_device_is_replaced(deck: Deck, how: str) -> None:
    deck.real_time()
    sound = noise(1.2)
    deck.play(stored(sound))
    until(lambda: deck.player.heard() is not None and deck.player.heard().cursor.offset > RATE // 3)
    getattr(deck.outputs[0], how)()
    begun = time.monotonic()
    moved = deck.wait_for(DeviceMoved)
    assert moved == DeviceMoved("a", None, lost=True)
    assert time.monotonic() - begun < 1.0
    deck.wait_for(PlayedOut)
    second = sound_in(deck.outputs[1].heard)
    kept = sound[len(sound) - len(second) + 200 :]  # but for the fade in
    assert np.array_equal(second[200:], kept)
    assert len(sound_in(deck.outputs[0].heard)) + len(second) > len(sound) - 0.06 * RATE


@pytest.mark.expects_log("the sound device was lost")
def test_chosen_device_vanishes(deck: Deck) -> None:
    plugged = True

    def make(device: DeviceId | None) -> NullOutput:
        if device is not None and not plugged:
            raise AudioDeviceError(f"The sound device {device.name} is not connected.")
        return NullOutput(latency_s=0.03, real_time=True, lost_s=0.3)

    deck.make = make
    deck.player.use_device(DeviceId("headset"))
    assert deck.wait_for(DeviceMoved) == DeviceMoved("", DeviceId("headset"), lost=False)
    deck.play(stored(noise(1)))
    deck.wait_for(Sounding)
    plugged = False
    deck.outputs[-1].fail()
    assert deck.wait_for(DeviceMoved) == DeviceMoved("a", None, lost=True)
    plugged = True
    deck.player.use_device(DeviceId("headset"))
    assert deck.wait_for(DeviceMoved) == DeviceMoved("a", DeviceId("headset"), lost=False)
    deck.wait_for(PlayedOut)
    assert len(deck.outputs) == 3


def test_no_device_at_all() -> None:
    deck = Deck(give_up_s=0.2)
    deck.make = lambda _: NullOutput(refuses="There is no sound device on this computer: connect one.")
    deck.play(stored(noise(1)))
    notice = deck.notices.get(timeout=5)
    assert isinstance(notice, Broken)
    assert notice.error.message.startswith("There is no sound device")
    deck.make = lambda _: NullOutput()
    deck.play(stored(noise(0.1)), name="b")
    assert deck.wait_for(PlayedOut) == PlayedOut("b")
    deck.player.close()


@pytest.mark.expects_log("the sound device was lost")
def test_device_comes_back_after_a_while(deck: Deck) -> None:
    plugged = True

    def make(_: DeviceId | None) -> NullOutput:
        if not plugged:
            raise AudioDeviceError("There is no sound device on this computer: connect one.")
        return NullOutput(latency_s=0.03, real_time=True, lost_s=0.3)

    deck.make = make
    deck.play(stored(noise(1)))
    deck.wait_for(Sounding)
    plugged = False
    deck.outputs[0].fail()
    assert deck.wait_for(DeviceGone) == DeviceGone("a")
    plugged = True
    assert deck.wait_for(DeviceMoved, 1) == DeviceMoved("a", None, lost=True)
    deck.wait_for(PlayedOut)


def test_many_commands_leave_order(deck: Deck) -> None:
    """Each play has a level of its own: levels never come back."""
    deck.real_time()
    random = np.random.default_rng(7)
    for number in range(1, 41):
        deck.play(stored(level(2, number / 100), level(2, number / 100)), source=int(random.integers(0, 150)))
        deck.player.paused = bool(random.random() < 0.2)
        time.sleep(float(random.uniform(0, 0.03)))
        if random.random() < 0.3:
            deck.player.stop()
    deck.player.paused = False
    deck.play(stored(level(0.1, 0.5)), name="last")
    assert deck.wait_for(PlayedOut) == PlayedOut("last")
    heard = deck.heard
    whole = np.flatnonzero(np.isclose(heard * 100, np.round(heard * 100), atol=1e-4) & (heard > 0.005))
    seen = np.round(heard[whole] * 100)
    steady = seen[:-1][np.diff(whole) == 1]
    steady = steady[np.concatenate([[True], np.diff(steady) == 0])]
    assert (np.diff(steady) >= 0).all()
    assert threading.active_count() < 12


def test_store_is_bounded() -> None:
    store = SpeechStore(RATE, spans(10), capacity_s=3)
    for span in spans(10):
        store.begin(span)
        store.add(level(1, 0.5))
        store.end()
    assert store._parts.total <= 3 * RATE
    assert store.is_made((0, 90))  # where the ear is
    assert store.missing_from(store.at(0).segment) is not None


def test_store_takes_another_partition() -> None:
    store = SpeechStore(RATE, [(0, 90), (100, 190)])
    old = store.at(100)
    for span in [(0, 40), (41, 90)]:
        store.begin(span)
        store.add(level(0.1, 0.5))
        store.end()
    assert store.spans == ((0, 40), (41, 90), (100, 190))
    assert store.at(150).segment is old.segment
    assert store.index((100, 190)) == 1  # of two sentences in three segments
