"""Texts in the encodings of the world open as what they are, from one sentence on."""

import codecs

import pytest

from pocketvoice.documents import DocumentError, document_from_bytes

RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему."
UKRAINIAN = (
    "Реве та стогне Дніпр широкий, сердитий вітер завива, додолу верби гне високі, горами хвилю підійма."
)
GERMAN = "Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte, größer als sonst, fand er sich übel verwandelt."
FRENCH = "Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite que je n’avais pas le temps. Où êtes-vous ?"
POLISH = "Ile cię trzeba cenić, ten tylko się dowie, kto cię stracił. Dziś piękność twą w całej ozdobie widzę i opisuję."
CZECH = (
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Byl to krásný den a děti šly do školy, protože se chtěly učit."
)
GREEK = "Μια φορά κι έναν καιρό ήταν ένας βασιλιάς που είχε τρεις κόρες."
TURKISH = (
    "Bir varmış bir yokmuş, evvel zaman içinde, kalbur saman içinde, güzel bir kız yaşarmış. Şöyle çağırdı."
)
HEBREW = "בראשית ברא אלהים את השמים ואת הארץ. והארץ היתה תהו ובהו וחשך על פני תהום."
ARABIC = "كان يا ما كان في قديم الزمان ملك له ثلاث بنات وكانت أصغرهن أجملهن."
THAI = "กาลครั้งหนึ่งนานมาแล้ว มีพระราชาองค์หนึ่งมีพระธิดาสามพระองค์"
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。"
CHINESE = "话说天下大势，分久必合，合久必分。周末七国分争，并入于秦。及秦灭之后，楚、汉分争，又并入于汉。"
TRADITIONAL = "話說天下大勢，分久必合，合久必分。周末七國分爭，并入於秦。及秦滅之後，楚、漢分爭，又并入於漢。"
KOREAN = "옛날 옛적에 세 딸을 둔 왕이 있었습니다. 막내딸이 가장 아름다웠습니다."

OLD = [
    (RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r"), (RUSSIAN, "cp866"), (UKRAINIAN, "cp1251"), (UKRAINIAN, "koi8_u"),
    (GERMAN, "cp1252"), (FRENCH, "cp1252"), (POLISH, "cp1250"), (CZECH, "cp1250"), (POLISH, "iso8859_2"),
    (GREEK, "cp1253"), (TURKISH, "cp1254"), (HEBREW, "cp1255"), (ARABIC, "cp1256"), (THAI, "cp874"),
    (JAPANESE, "shift_jis"), (JAPANESE, "euc_jp"), (JAPANESE, "iso2022_jp"), (CHINESE, "gb18030"), (TRADITIONAL, "big5"),
    (KOREAN, "cp949"),
]  # fmt: skip
EVERY = [RUSSIAN, GERMAN, POLISH, GREEK, HEBREW, THAI, JAPANESE, CHINESE, TRADITIONAL, KOREAN]


@pytest.mark.parametrize(("text", "encoding"), OLD)
@pytest.mark.parametrize("times", [1, 40])
def test_old_encodings_are_recognised(text: str, encoding: str, times: int) -> None:
    whole = "\n\n".join([text] * times)
    assert document_from_bytes(whole.encode(encoding), "a.txt").text == whole


@pytest.mark.parametrize("text", EVERY)
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8-sig", "utf-16", "utf-32"]
)
def test_unicode_opens_with_and_without_a_mark(text: str, encoding: str) -> None:
    assert document_from_bytes(text.encode(encoding), "a.txt").text == text


def test_a_utf8_text_cut_in_a_letter_stays_utf8() -> None:
    data = (RUSSIAN * 3).encode()[:-1]
    assert document_from_bytes(data, "a.txt").text.startswith(RUSSIAN)


def test_html_is_read_in_the_encoding_that_it_names() -> None:
    page = f"<html><head><meta charset=koi8-r></head><body><p>{RUSSIAN}</p></body></html>"
    assert document_from_bytes(page.encode("koi8_r"), "a.html").text == RUSSIAN


def test_html_that_names_a_wrong_encoding_is_read_all_the_same() -> None:
    page = f"<html><head><meta charset=utf-8></head><body><p>{RUSSIAN}</p></body></html>"
    assert document_from_bytes(page.encode("cp1251"), "a.html").text == RUSSIAN


def test_line_ends_of_all_systems_are_one() -> None:
    unix = document_from_bytes(b"One.\n\nTwo.", "a.txt").text
    assert (
        unix
        == document_from_bytes(b"One.\r\n\r\nTwo.", "a.txt").text
        == document_from_bytes(b"One.\r\rTwo.", "a.txt").text
    )


@pytest.mark.parametrize("data", [bytes(range(256)) * 20, codecs.BOM_UTF16_LE + b"\1\0\2\0\3\0" * 50])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError, match="holds no text"):
        document_from_bytes(data, "a.txt")
