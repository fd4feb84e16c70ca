"""From any file to a clip: the best part is found, windows snap to pauses; and a table of files, good and hostile."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.audio.imported import best_part, read_source, snapped, waveform
from pocketvoice.audio.voice_activity import activity_of
from tests.voices.sounds import RATE, babble

ROOT = Path(__file__).parents[2]
RANDOM = np.random.default_rng(0)


def chosen(sound: np.ndarray) -> tuple[float, float]:
    start, stop = best_part(sound.astype(np.float32), RATE)
    return start / RATE, stop / RATE


def silence(seconds: float) -> np.ndarray:
    return np.zeros(int(seconds * RATE))


def test_all_of_a_short_sound_is_taken_without_its_silence() -> None:
    start, stop = chosen(np.concatenate([silence(8), babble(22), silence(9)]))
    assert start == pytest.approx(8.1, abs=0.3)
    assert stop == pytest.approx(30, abs=0.4)


def test_of_a_long_sound_about_25_s_between_pauses() -> None:
    sound = babble(120)
    start, stop = chosen(sound)
    assert 20 <= stop - start <= 30
    speech = activity_of(sound, RATE).frames()
    level = activity_of(sound, RATE).levels()
    ends = [int(start * 50), int(stop * 50) - 1]
    assert all(not speech[end] or level[end] < -50 for end in ends)


def test_clipping_noise_and_silence_are_left_out() -> None:
    good = babble(30)
    clipped = np.clip(30 * babble(40, seed=1), -1, 1)
    noisy = babble(40, seed=2) + 0.03 * RANDOM.standard_normal(40 * RATE)
    for before, after in ((clipped, noisy), (noisy, clipped), (silence(40), clipped)):
        start, stop = chosen(np.concatenate([before, silence(1), good, silence(1), after]))
        assert start > 40
        assert stop < 73


def test_a_sound_without_pauses_is_cut_all_the_same() -> None:
    time = np.arange(60 * RATE) / RATE
    drone = sum(np.sin(2 * np.pi * 130 * n * time + 3 * np.sin(time)) / n for n in range(1, 9))
    start, stop = chosen(0.05 * drone * (1.1 + np.sin(2 * np.pi * 3 * time)))
    assert 19 <= stop - start <= 30


def test_a_dragged_window_snaps_into_pauses() -> None:
    sound = babble(60)
    start, stop = snapped(sound, RATE, int(10.9 * RATE), int(33 * RATE))
    assert abs(start / RATE - 10.9) <= 0.41
    assert abs(stop / RATE - 33) <= 0.41
    assert np.abs(sound[start : start + 240]).max() < 0.02
    assert snapped(sound, RATE, -5, 10**9) == (0, 30 * RATE)
    assert snapped(sound, RATE, 100, 100) == (100, 100)


def test_the_picture_holds_every_peak() -> None:
    sound = babble(3)
    picture = waveform(sound, 100)
    assert picture.shape == (100, 2)
    assert picture.min() == sound.min()
    assert picture.max() == sound.max()
    assert waveform(sound[:5], 10).shape == (10, 2)
    assert not waveform(sound[:0], 10).any()


# ---------------------------------------------------------------- the table


def write(path: Path, seconds: float = 22, rate: int = 24_000, channels: int = 1, **options: str) -> None:
    sound = babble(seconds, rate)
    soundfile.write(path, np.tile(sound[:, None], (1, channels)), rate, **options)


def write_sound(sound: np.ndarray) -> Callable[[Path], None]:
    return lambda path: soundfile.write(path, sound.astype(np.float32), RATE, subtype="FLOAT")


def as_written(**options: object) -> Callable[[Path], None]:
    return lambda path: write(path, **options)  # type: ignore[arg-type]


def with_av(container: str, codec: str, rate: int, video: bool = False) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        import av

        with av.open(path, "w", format=container) as file:
            sound = file.add_stream(codec, rate=rate, layout="mono")
            if video:
                picture = file.add_stream("mpeg4", rate=10)
                picture.width = picture.height = 32
                for packet in picture.encode(av.VideoFrame(32, 32, "yuv420p")):
                    file.mux(packet)
                for packet in picture.encode(None):
                    file.mux(packet)
            frame = av.AudioFrame.from_ndarray(babble(22, rate)[None], format="fltp", layout="mono")
            frame.sample_rate = rate
            for packet in [*sound.encode(frame), *sound.encode(None)]:
                file.mux(packet)

    return make


def truncated(path: Path) -> None:
    write(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def renamed_text(path: Path) -> None:
    path.write_text("This is not a sound.\n" * 1000)


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("clip.wav", bytes(200 << 20))


def huge_claim(path: Path) -> None:
    write(path, 1)
    data = bytearray(path.read_bytes())
    data[40:44] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(data)


def ten_minutes(path: Path) -> None:
    soundfile.write(path, np.tile(babble(60, 16_000), 10), 16_000)


def an_hour_of_silence(path: Path) -> None:
    with soundfile.SoundFile(path, "w", 8_000, 1, format="FLAC") as file:
        for _ in range(60):
            file.write(np.zeros(60 * 8_000, np.float32))


VOICE = babble(22)
TABLE: dict[str, tuple[Callable[[Path], None], str]] = {
    "u8.wav": (as_written(subtype="PCM_U8"), "good"),
    "s16.wav": (as_written(subtype="PCM_16"), "good"),
    "s24.wav": (as_written(subtype="PCM_24"), "good"),
    "s32.wav": (as_written(subtype="PCM_32"), "good"),
    "float.wav": (as_written(subtype="FLOAT"), "good"),
    "double.wav": (as_written(subtype="DOUBLE"), "good"),
    "extensible.wav": (as_written(format="WAVEX", subtype="PCM_24"), "good"),
    "mu-law.au": (as_written(format="AU", subtype="ULAW"), "good"),
    "big-endian.aiff": (as_written(format="AIFF"), "good"),
    "wide.w64": (as_written(format="W64"), "good"),
    "voice.caf": (as_written(format="CAF"), "good"),
    "voice.flac": (as_written(), "good"),
    "voice.ogg": (as_written(), "good"),
    "voice.mp3": (as_written(), "good"),
    "voice.m4a": (with_av("mp4", "aac", 44_100), "good"),
    "voice.webm": (with_av("webm", "libopus", 48_000), "good"),
    "video.mp4": (with_av("mp4", "aac", 48_000, video=True), "good"),
    "8k.wav": (as_written(rate=8_000), "good"),
    "192k.flac": (as_written(rate=192_000), "good"),
    "stereo.wav": (as_written(channels=2, rate=44_100), "good"),
    "surround.wav": (as_written(channels=8, rate=48_000), "good"),
    "tenth.wav": (as_written(seconds=0.1), "no speech"),
    "two-seconds.wav": (as_written(seconds=2), "no speech"),
    "ten-minutes.flac": (ten_minutes, "good"),
    "hour-of-silence.flac": (an_hour_of_silence, "silent"),
    "silence.wav": (write_sound(np.zeros(22 * RATE)), "silent"),
    "clipped.wav": (write_sound(np.clip(20 * VOICE, -1, 1)), "clipped"),
    "over-full-scale.wav": (write_sound(30 * VOICE), "clipped"),
    "offset.wav": (write_sound(VOICE + 0.3), "good"),
    "only-offset.wav": (write_sound(np.full(22 * RATE, 0.3)), "silent"),
    "noise.wav": (write_sound(0.03 * RANDOM.standard_normal(22 * RATE)), "no speech"),
    "noisy.wav": (write_sound(VOICE + 0.04 * RANDOM.standard_normal(22 * RATE)), "noisy"),
    "not-finite.wav": (write_sound(np.where(np.arange(22 * RATE) == 9, np.nan, VOICE)), "error"),
    "truncated.wav": (truncated, "too short"),
    "claims-4-gb.wav": (huge_claim, "no speech"),
    "renamed.wav": (renamed_text, "error"),
    "bomb.wav": (zip_bomb, "error"),
    "empty.wav": (lambda path: path.write_bytes(b""), "error"),
}  # fmt: skip

JUDGE = """
import json, sys, time
from pathlib import Path
from pocketvoice.audio.imported import best_part, read_source
from pocketvoice.audio.quality import quality_of
from pocketvoice.errors import InputError
def forget_peak():
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")
def peak():  # MB; not ru_maxrss, which begins with the parent's
    if sys.platform != "linux":
        return 0
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
for path in sorted(Path(sys.argv[1]).iterdir()):
    source = report = None
    forget_peak()
    begun = time.process_time()
    try:
        source = read_source(path)
        start, stop = best_part(source.samples, source.sample_rate)
        report = quality_of(source.samples[start:stop], source.sample_rate)
        verdict = report.findings[0].flaw.value if report.findings else "good"
        length = (stop - start) / source.sample_rate
    except InputError as error:
        verdict, length = "error", 0.0
        assert error.message and "\\n" not in error.message
    peak_mb = peak()
    print(json.dumps([path.name, verdict, length, peak_mb, time.process_time() - begun]), flush=True)
"""


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, float, float, float]]:
    """Name -> verdict, seconds of the clip, peak MB so far, seconds of work."""
    folder = tmp_path_factory.mktemp("clips")
    for name, (make, _) in TABLE.items():
        make(folder / name)
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr
    return {row[0]: tuple(row[1:]) for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_files(name: str, verdicts: dict[str, tuple[str, float, float, float]]) -> None:
    verdict, length_s, peak_mb, _ = verdicts[name]
    assert verdict in TABLE[name][1].split("|")
    assert length_s <= 30
    assert peak_mb < 500
    if verdict == "good":
        assert length_s >= 20


def test_a_long_file_says_how_much_is_used(tmp_path: Path) -> None:
    an_hour_of_silence(tmp_path / "long.flac")
    source = read_source(tmp_path / "long.flac")
    assert source.duration_s == pytest.approx(900, abs=0.1)
    assert "15 minutes" in source.notes[0]
    assert source.name == "long.flac"
