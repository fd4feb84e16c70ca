"""Everything a user can get wrong: one sentence on standard error, exit code 2, nothing on standard output."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import ENDS, Done, Speaker, write_noise

Cli = Callable[..., Done]


def assert_refused(done: Done, *words: str) -> None:
    """One sentence that holds the words, and nothing else."""
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("pocketvoice: ")
    assert done.err.endswith((".\n", "?\n"))
    assert done.err.count("\n") == 1, done.err
    for word in words:
        assert word in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["generate", "--max-tokens", "0"], ["--max-tokens must be a whole number from 1", "'0'"]),
        (["generate", "--max-tokens", "many"], ["--max-tokens", "'many'"]),
        (["generate", "--temperature", "-1"], ["--temperature must be 0 or more, not '-1'"]),
        (["generate", "--temperature", "nan"], ["--temperature", "nan"]),
        (["generate", "--noise-clamp", "0"], ["--noise-clamp must be above 0"]),
        (["generate", "--eos-threshold", "inf"], ["--eos-threshold must be a number"]),
        (["generate", "--sampler-decode-steps", "0"], ["--sampler-decode-steps must be"]),
        (["generate", "--lsd-decode-steps", "0"], ["--lsd-decode-steps must be"]),
        (["generate", "--frames-after-eos", "-3"], ["--frames-after-eos must be", "'-3'"]),
        (["generate", "--seed", "-1"], ["--seed must be"]),
        (["generate", "--seed", str(2**64)], ["--seed must be"]),
        (["bench", "--rounds", "0"], ["--rounds must be"]),
        (["bench", "--threads", "0"], ["--threads must be"]),
        (["bench", "--model", "."], ["no model config"]),
        (["bench", "--model", ".", "--language", "english"], ["--model, --language or --config"]),
        (["say"], ["required: text", "pocketvoice say --help"]),
        (["say", "Hello.", "-o", "-"], ["pocketvoice generate -o -"]),
        (["speak", "Hello."], ["'speak'", "say"]),
        (["generate", "--tempo", "3"], ["--tempo"]),
        (["generate", "-text", "Hello."], ["-text has one dash where two are needed: write --text"]),
        (["generate", "-voice=alba"], ["write --voice"]),
        (["serve", "--reload"], ["--reload is for people who change the program's code: leave it out"]),
        (["generate", "--no-quantize", "--precision", "int4"], ["'int4'"]),
        (["generate", "--voice"], ["--voice: expected one argument"]),
        (["generate", "--precision", "int4"], ["--precision", "int4"]),
        (["generate", "--quantize", "--precision", "float32"], ["--quantize", "contradicts"]),
        (["generate", "--device", "tpu"], ["'tpu'", "use cpu"]),
        (["export-voice", "a.wav", "a.safetensors", "--device", "cuda:99"], ["CUDA", "use cpu"]),
        (["say", "Hello.", "--device", "mps", "--quantize"], ["int8", "mps"]),
        (["bench", "--device", "cuda"], ["computes on the CPU, not on cuda", "use cpu"]),
        (["serve", "--device", "mps"], ["computes on the CPU, not on mps", "use cpu"]),
        (["generate", "--language", "englsh"], ["'englsh'", "did you mean english"]),
        (["generate", "--language", "english", "--config", "x.yaml"], ["--language or --config"]),
        (["generate", "--config", "x.yaml"], ["x.yaml", "--config"]),
        (["generate", "--config", "x" * 5000 + ".yaml"], ["--config"]),
        (["generate", "--checkpoint", "x.pt"], ["x.pt", "--checkpoint"]),
        (["generate", "--voice", "albaa"], ["'albaa'", "did you mean alba"]),
        (["generate", "--voice", "no/such.wav"], ["no/such.wav does not exist"]),
        (["generate", "--voice", "Hello " * 1000], ["There is no voice"]),
        (["generate", "--voice", "."], ["is a folder"]),
        (["generate", "--voice", "ftp://x.org/a.wav"], ["ftp://"]),
        (["generate", "--text", ""], ["no text to speak"]),
        (["generate", "--text", " \n "], ["no text to speak"]),
        (["generate", "--text", "... !?"], ["nothing that can be spoken"]),
        (["generate", "--text", "caf\udce9"], ["not UTF-8"]),
        (["say", ""], ["no text to speak"]),
        (["generate", "-o", "no/such/place.wav"], ["its folder does not exist"]),
        (["generate", "-o", "."], ["it is a folder"]),
        (["generate", "-o", "x" * 300 + ".wav"], ["the name is too long"]),
        (["generate", "-o", "-", "--json"], ["--json and --output-path -"]),
        (["generate", "--language", "english"], ["The model is not on this computer yet", "HF_HUB_OFFLINE"]),
        (
            ["say", "Hello.", "--language", "english"],
            ["The model is not on this computer yet", "HF_HUB_OFFLINE"],
        ),
        (["export-voice", "no.wav", "out.safetensors"], ["no.wav does not exist"]),
        (["export-voice", "alba", "out.wav"], ["ends with .safetensors"]),
        (["export-voice", "alba", "no/out.safetensors"], ["its folder does not exist"]),
        (["models", "path", "englsh"], ["no model 'englsh'", "did you mean english"]),
        (["models", "path", "english"], ["pocketvoice models download english"]),
        (["models", "download", "english"], ["HF_HUB_OFFLINE"]),
        (["models"], ["required: ACTION"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_mistake_is_one_sentence(cli: Cli, arguments: list[str], words: list[str]) -> None:
    assert_refused(cli(*arguments), *words)
    assert not list(Path().glob("*.wav"))


@pytest.mark.skipif(os.name != "posix", reason="file rights")
def test_protected_places_are_refused(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    assert_refused(cli("generate", "-o", "x.wav"), "Can't write x.wav: no permission")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [", ["not readable YAML"]),
        ("Hello there.", ["is not a model config"]),
        ("- 1\n- 2\n", ["is not a model config"]),
        ("flow_lm: 3\nmimi: 4\n", ["is not valid", "flow_lm"]),
    ],
)
def test_config_of_something_else(cli: Cli, content: str, words: list[str]) -> None:
    Path("mine.yaml").write_text(content, encoding="utf-8")
    assert_refused(cli("generate", "--config", "mine.yaml"), *words)


def test_config_field_is_named(cli: Cli, speaker: Speaker) -> None:
    Path("mine.yaml").write_text(yaml.safe_dump({**speaker.files.raw, "wieghts": 1}), encoding="utf-8")
    assert_refused(cli("generate", "--config", "mine.yaml"), "wieghts")


def test_config_without_suffix(cli: Cli, speaker: Speaker) -> None:
    Path("mine").write_text(speaker.files.config.read_text(encoding="utf-8"), encoding="utf-8")
    assert_refused(cli("generate", "--config", "mine", "--voice", speaker.voice), ".yaml")


def test_weights_cut_short(cli: Cli, speaker: Speaker) -> None:
    whole = speaker.files.weights.read_bytes()
    Path("model.safetensors").write_bytes(whole[: len(whole) // 2])
    raw = {**speaker.files.raw, "weights_path": "model.safetensors"}
    Path("mine.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    done = cli("generate", "--config", "mine.yaml", "--voice", speaker.voice)
    assert_refused(done, "model.safetensors is damaged or cut short")


def test_weights_are_missing(cli: Cli, speaker: Speaker) -> None:
    raw = {**speaker.files.raw, "weights_path": "no.safetensors"}
    Path("mine.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    assert_refused(cli("generate", "--config", "mine.yaml", "--voice", speaker.voice), "no.safetensors")


def test_voice_state_cut_short(cli: Cli, speaker: Speaker) -> None:
    Path("v.safetensors").write_bytes(speaker.voice.read_bytes()[:-100])
    assert_refused(cli("generate", *speaker.model, "--voice", "v.safetensors"), "damaged or cut short")


def test_voice_state_is_weights(cli: Cli, speaker: Speaker) -> None:
    done = cli("generate", *speaker.model, "--voice", speaker.files.weights)
    assert_refused(done, "is not a voice file")


def test_voice_state_of_another_model(cli: Cli, speaker: Speaker) -> None:
    from pocketvoice.engine.voice_state import Origin, VoiceState, export_model_state
    from tests.model_factory import changed, random_state

    state = random_state(speaker.files.raw)
    export_model_state(VoiceState(state, Origin(model_id="french-0123456789abcdef")), "theirs.safetensors")
    deeper = changed(speaker.files.raw, **{"flow_lm.transformer.num_layers": 3})
    export_model_state(random_state(deeper), "deeper.safetensors")
    wider = changed(speaker.files.raw, **{"flow_lm.transformer.num_kv_heads": 4})
    export_model_state(random_state(wider), "wider.safetensors")
    for name, word in (("theirs", "french"), ("deeper", "3 layers"), ("wider", "does not fit")):
        assert_refused(cli("generate", *speaker.model, "--voice", f"{name}.safetensors"), word)


def test_voice_state_holds_nan(cli: Cli, speaker: Speaker) -> None:
    from pocketvoice.engine.voice_state import export_model_state
    from tests.model_factory import random_state

    state = random_state(speaker.files.raw)
    state["transformer.layers.0.self_attn"]["cache"][0, 0, 3, 0, 0] = float("nan")
    export_model_state(state, "v.safetensors")
    assert_refused(cli("generate", *speaker.model, "--voice", "v.safetensors"), "NaN")


@pytest.mark.parametrize("command", ["generate", "export-voice"])
def test_clips_that_are_no_voice(cli: Cli, speaker: Speaker, command: str) -> None:
    Path("notes.wav").write_text("this is a text, not a sound", encoding="utf-8")
    write_noise(Path("short.wav"), 0.2)
    write_noise(Path("silent.wav"), 3.0, level=0.0)
    write_noise(Path("long.wav"), 600.0)
    for name, words in (
        ("notes.wav", "notes.wav"), ("short.wav", "only 0.2 s"), ("silent.wav", "silent"), ("long.wav", "10 minutes"),
    ):  # fmt: skip
        given = ["--voice", name] if command == "generate" else [name, "out.safetensors"]
        assert_refused(cli(command, *speaker.model, *given), words)
    assert not Path("out.safetensors").exists()


def test_catalogue_voice_with_own_config(cli: Cli, speaker: Speaker) -> None:
    assert_refused(cli("generate", *speaker.model, "--voice", "alba"), "'alba'", "recording")


def test_disk_is_full(cli: Cli, speaker: Speaker) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    assert_refused(cli("generate", *speaker.options, *ENDS, "-o", "/dev/full"), "No space left", "/dev/full")


def test_two_recordings_one_name(cli: Cli, clip: Path) -> None:
    Path("clips").mkdir()
    for suffix in ("wav", "flac"):
        Path(f"clips/a.{suffix}").write_bytes(clip.read_bytes())
    assert_refused(cli("export-voice", "clips", "out"), "a.flac and a.wav", "rename one")
    assert not Path("out").exists()


def test_folder_without_recordings(cli: Cli) -> None:
    Path("clips").mkdir()
    assert_refused(cli("export-voice", "clips", "out"), "holds no recordings")


def test_standard_input_is_not_utf8(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("café".encode("latin-1"))))
    assert_refused(cli("generate", "--text", "-"), "not UTF-8 (at byte 3)", "iconv")


def test_standard_input_is_empty(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n")))
    assert_refused(cli("say", "-"), "no text to speak")


def test_debug_shows_a_traceback(cli: Cli) -> None:
    for arguments in (["--debug", "generate", "--text", ""], ["generate", "--text", "", "--debug"]):
        done = cli(*arguments)
        assert done.code == 2
        assert done.err.startswith("pocketvoice: There is no text to speak")
        assert "Traceback" in done.err


def test_our_own_failure(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from pocketvoice.cli import voices

    def broken(_: object) -> int:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(voices, "show_all", broken)
    done = cli("voices", "list")
    assert (done.code, done.out) == (1, "")
    sentence = (
        "Something went wrong inside (ZeroDivisionError: by zero). Run it again with --debug to see where."
    )
    assert done.err == f"pocketvoice: {sentence}\n"
    assert "Traceback" in cli("voices", "list", "--debug").err


def test_mistakes_need_no_torch(repository: Path) -> None:
    script = (
        "import sys, pocketvoice.cli as c\n"
        "assert c.main(['say', '...']) == c.main(['generate', '--voice', 'albaa']) == 2\n"
        "assert c.main(['say', 'Hello.', '--language', 'english']) == 2\n"  # offline, and no model
        "assert c.main(['export-voice', 'no.wav', 'x.safetensors']) == 2\n"
        "sys.exit('torch' in sys.modules or 'numpy' in sys.modules or 'sounddevice' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=repository, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_letters_that_the_model_does_not_know_are_told(cli: Cli) -> None:
    done = cli("generate", "--language", "builtin_en", "-o", "a.wav", "--text", "你好世界你好世界. Hello.")
    assert done.code == 0
    assert "Most of the text is in Chinese letters, which the English model was not made for" in done.err
