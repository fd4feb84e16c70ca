"""The program as a user has it: a window on a screen, mouse and keys, a loudspeaker that is listened to.

Nothing is faked but the screen and the loudspeaker. The tests share one program and stand in an order: the last but one quits it.
Times are generous: the machine is shared.
"""

import json
import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.live.conftest import SENTENCES, Model
from tests.live.desktop import App, Look, Screen, wait_for
from tests.live.ear import HOLE_S, aligned, heard_whole, is_loud, likeness, longest_hole_s, until_loud
from tests.live.watchdog import PERIOD_S, Watchdog
from tests.sound_server import RATE, SoundServer

STOP_S = 0.6
"""Of which the device has 0.1 to 0.2, xdotool 0.1; the rest is for a busy machine."""


def test_ear_finds_holes() -> None:
    """What the other tests rely on: samples set to zero and silence put in are found, and a shift is none."""
    sound = np.random.default_rng(1).normal(0, 0.1, 2 * RATE).astype(np.float32)
    sound[RATE // 2 : RATE] = 0  # a pause of its own
    before, gap = np.zeros(1234, np.float32), np.zeros(int(0.04 * RATE), np.float32)
    whole = aligned(np.concatenate([before, sound, before]), sound)
    assert longest_hole_s(whole, sound) == 0.0
    assert likeness(whole, sound) > 0.99
    put_in = np.concatenate([before, sound[:30_000], gap, sound[30_000:]])
    assert HOLE_S < longest_hole_s(aligned(put_in, sound), sound) <= 0.04
    lost = sound.copy()
    lost[30_000 : 30_000 + len(gap)] = 0
    assert HOLE_S < longest_hole_s(aligned(lost, sound), sound) <= 0.04


def assert_responsive(seen: Look) -> None:
    """The event loop was never held up for a tenth of a second, but by a machine that had no processor for it."""
    print(f"longest stall {seen['stall_s']:.3f} s, of which our own {seen['own_stall_s']:.3f} s")
    assert seen["own_stall_s"] < 0.1, seen["stalls"]


def test_watchdog_finds_stalls() -> None:
    """What the other tests rely on, too: whether the thread slept or worked, and where it was."""
    watchdog = Watchdog()
    try:
        for _ in range(5):
            time.sleep(PERIOD_S)
            watchdog.tick()
        calm_s = watchdog.longest_own_s
        time.sleep(0.25)
        watchdog.tick()
    finally:
        watchdog.close()
    assert calm_s < 0.1
    assert 0.15 < watchdog.longest_own_s <= watchdog.longest_s
    assert "time.sleep(0.25)" in watchdog.stalls[-1]["stack"]


def test_text_is_heard_whole(app: App, server: SoundServer, model: Model, tmp_path: Path) -> None:
    """Typed, the button pressed: the loudspeaker plays what `pocketvoice generate` writes."""
    writing = model.generate(SENTENCES, tmp_path / "written.wav")
    app.type(SENTENCES)
    assert writing.wait(60) == 0
    written, rate = soundfile.read(tmp_path / "written.wav", dtype="float32")
    assert rate == RATE
    heard_whole(app, server, written)


def test_stop_is_silent_in_time(app: App, server: SoundServer) -> None:
    app.type(SENTENCES, times=4)
    app.hover("play")
    with server.recording() as recorder:
        app.press()
        until_loud(recorder)
        app.hover("stop")
        asked = time.monotonic()
        app.press()
        app.until_phase("quiet")
        time.sleep(1.0)
        silent_s = recorder.loud_spans(0.001)[-1][1] - asked
        print(f"silent {silent_s:.3f} s after the click")
        assert silent_s < STOP_S
        app.keys("ctrl+Home")
        app.click("play")  # and it speaks again
        until_loud(recorder)


ACTIONS = (
    "Escape", "ctrl+Return", "ctrl+Return", "ctrl+shift+Return", "ctrl+p", "ctrl+p", "alt+Right", "alt+Left",
    "ctrl+Up", "ctrl+Down",
)  # fmt: skip
SETTLED_S = 2.5
"""The worker gives back what it does not need after a second of rest."""


def act_at_random(app: App, dice: random.Random, count: int) -> None:
    """Speaks, stops, pauses, skips, seeks, changes the speed; then is silent again, at the usual speed."""
    for _ in range(count // 4):
        app.keys(*dice.choices(ACTIONS, k=3))
        app.click_at("position", dice.random())
        time.sleep(dice.choice([0, 0.05, 0.3]))
    app.hush()
    app.keys("ctrl+shift+0")
    app.until(lambda seen: not seen["open"], "all requests ended")
    time.sleep(SETTLED_S)


def test_random_actions_leave_no_trace(app: App, server: SoundServer) -> None:
    """A hundred, after as many to warm up: each request ends once, nothing is heard any more, memory and threads are as before."""
    dice = random.Random(20261129)
    app.type(SENTENCES, times=6)
    act_at_random(app, dice, 100)
    seen, processes, threads, memory = app.look("forget"), app.descendants(), app.threads(), app.memory_mb()
    with server.recording() as recorder:
        act_at_random(app, dice, 100)
        silent_from = len(recorder.samples) - RATE
    after = app.look()
    print(
        f"{after['ended'] - seen['ended']} requests; memory {memory} -> {app.memory_mb()} MB, threads {threads} -> {app.threads()}"
    )
    assert_responsive(after)
    assert after["ended"] - seen["ended"] > 60
    assert not after["ended_twice"]
    assert is_loud(recorder)
    assert not is_loud(recorder, silent_from)
    assert app.descendants() == processes
    assert all(now <= before for before, now in zip(threads, app.threads(), strict=True))
    for before, now in zip(memory, app.memory_mb(), strict=True):
        assert now == pytest.approx(before, rel=0.05)


def test_killed_worker_is_replaced(app: App, server: SoundServer) -> None:
    """In the middle of a sentence: the window says so, is never held up, and the text goes on."""
    app.type(SENTENCES, times=4)
    worker = app.worker()
    with server.recording() as recorder:
        app.click("play")
        until_loud(recorder)
        app.look("forget")
        os.kill(worker, signal.SIGKILL)
        seen = app.until(lambda seen: "started again" in seen["message"], "what happened")
        time.sleep(0.3)  # the last of its sound
        until_loud(recorder, 40)
        seen = app.until_phase("speaking")
    assert_responsive(seen)
    assert app.worker() != worker


def test_frozen_worker_is_replaced(app: App, server: SoundServer) -> None:
    app.type(SENTENCES, times=4)
    worker = app.worker()
    with server.recording() as recorder:
        app.click("play")
        until_loud(recorder)
        app.look("forget")
        os.kill(worker, signal.SIGSTOP)
        app.keys("Escape")
        app.until(lambda seen: "started again" in seen["message"], "what happened")
        seen = app.until_phase("quiet")
        app.until(lambda seen: seen["model"] == "ready", "model loaded again", 60)
        app.hush()
        app.click("play")
        until_loud(recorder)
    assert_responsive(seen)


def test_unplugged_device_is_said(app: App, server: SoundServer) -> None:
    """In the middle of a sentence: the window says so, and when it is there again the speech goes on or can be begun again."""
    app.type(SENTENCES, times=8)
    with server.recording() as recorder:
        app.click("play")
        until_loud(recorder)
    app.look("forget")
    server.pactl("unload-module", "module-null-sink")
    seen = app.until(lambda seen: seen["message"], "what happened")
    print(f"said: {seen['message']}")
    assert_responsive(seen)
    server.pactl("load-module", "module-null-sink", "sink_name=test", "rate=48000")
    with server.recording() as recorder:
        time.sleep(2.0)
        goes_on = is_loud(recorder)
        print("it goes on by itself" if goes_on else "it is begun again")
        if not goes_on:
            app.hush()
            app.click("play")
            until_loud(recorder)


def test_quit_leaves_nothing_behind(app: App, server: SoundServer) -> None:
    """While it speaks. The text is there again at the next start."""
    app.type(SENTENCES, times=4)
    with server.recording() as recorder:
        app.click("play")
        until_loud(recorder)
        app.descendants()
        app.keys("ctrl+q")
        assert app.process.wait(20) == 0
    wait_for(lambda: not app.still_running(), "all processes gone", 10)
    texts = app.folder / "data" / "texts"
    draft = json.loads((texts / "index.json").read_text())["draft"]["name"]
    assert (texts / f"{draft}.txt").read_text() == SENTENCES * 4


def test_starts_without_sound_and_settings(screen: Screen, model: Model, tmp_path: Path) -> None:
    """The settings are damaged and no sound server answers: both are said, nothing hangs, and quitting works."""
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {
        **os.environ,
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "PULSE_RUNTIME_PATH": str(tmp_path / "run"),
        "PULSE_SERVER": f"unix:{tmp_path}/nobody",
    }
    with App(screen, environment, model.arguments, settings="{broken") as app:
        app.until(lambda seen: "damaged" in seen["message"], "that the settings are damaged")
        assert (app.folder / "config" / "settings.json.broken").read_text() == "{broken"
        app.until_ready()
        app.type(SENTENCES)
        app.look("forget")
        app.click("play")
        app.until_phase("quiet")
        seen = app.until(lambda seen: seen["message"], "that there is no sound")
        print(f"said: {seen['message']}")
        assert_responsive(seen)
        app.descendants()
        app.keys("ctrl+q")
        assert app.process.wait(20) == 0
        wait_for(lambda: not app.still_running(), "all processes gone", 10)
