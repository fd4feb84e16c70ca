"""What a source may look like, and what is said of those that are none."""

from pathlib import Path

import pytest

from pocketvoice.errors import InputError
from pocketvoice.hub.source import HttpFile, HubFile, LocalFile, parse

COMMIT = "db04f0e653473e5c7333c69686ac92b7460b0c1d"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"hf://kyutai/pocket-tts/languages/x/model.safetensors@{COMMIT}",
         HubFile("kyutai/pocket-tts", "languages/x/model.safetensors", COMMIT)),
        ("hf://kyutai/tts-voices/alba-mackenna/casual.wav",
         HubFile("kyutai/tts-voices", "alba-mackenna/casual.wav", None)),
        ("hf://me/my.model_2/config.yaml@refs/pr/3", HubFile("me/my.model_2", "config.yaml", "refs/pr/3")),
        ("hf://me/x/odd@name.wav@main", HubFile("me/x", "odd@name.wav", "main")),
        ("https://example.org/a/voice.wav?x=1", HttpFile("https://example.org/a/voice.wav?x=1")),
        ("HTTP://127.0.0.1:80/a", HttpFile("HTTP://127.0.0.1:80/a")),
        ("voice.wav", LocalFile(Path("voice.wav"))),
        ("/a folder/voice@2.wav", LocalFile(Path("/a folder/voice@2.wav"))),
        ("C://voices/me.wav", LocalFile(Path("C://voices/me.wav"))),
        ("~/me.wav", LocalFile(Path.home() / "me.wav")),
    ],
)  # fmt: skip
def test_source_is_understood(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "No file is named"),
        ("hf:/kyutai/x/y.wav", "must start with hf://"),
        ("hf://kyutai", "missing"),
        ("hf://kyutai/pocket-tts", "missing"),
        ("hf://kyutai/pocket-tts/", "missing"),
        ("hf://ky utai/pocket-tts/a.wav", "not a name"),
        ("hf://../pocket-tts/a.wav", "not a name"),
        ("hf://kyutai/pocket-tts/a.wav@", "not a revision"),
        ("hf://kyutai/pocket-tts/a.wav@x/../../y", "not a revision"),
        ("hf://kyutai/pocket-tts/../../a.wav", "not a path inside"),
        ("hf://kyutai/pocket-tts//a.wav", "not a path inside"),
        ("hf://kyutai/pocket-tts/a\\b.wav", "not a path inside"),
        ("https:///voice.wav", "host is missing"),
        ("https://[::1/voice.wav", "not a web address"),
        ("https://example.org:port/voice.wav", "not a web address"),
        ("ftp://example.org/voice.wav", "ftp://"),
        ("file:///voice.wav", "file://"),
    ],
)
def test_malformed_source_is_explained(text, says):
    with pytest.raises(InputError, match=says):
        parse(text)


def test_hub_file_writes_itself_back():
    for text in (f"hf://a/b/c/d.wav@{COMMIT}", "hf://a/b/c.wav"):
        assert str(parse(text)) == text


def test_pinned_means_a_commit():
    assert HubFile("a/b", "c", COMMIT).is_pinned
    assert not HubFile("a/b", "c", "main").is_pinned
    assert not HubFile("a/b", "c").is_pinned


def test_two_addresses_never_share_a_cache_name():
    one, two = HttpFile("https://a.org/v.wav?x=1"), HttpFile("https://a.org/v.wav?x=2")
    assert one.cache_name != two.cache_name
    assert one.cache_name.endswith(".wav")


def test_messages_never_show_a_password():
    file = HttpFile("https://me:secret@a.org/v.wav")
    assert file.origin == "a.org"
    assert file.name == "v.wav"
