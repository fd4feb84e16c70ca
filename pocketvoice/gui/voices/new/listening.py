"""What is played within the dialog that makes a voice: the chosen part of the sound, and the takes. Main thread only."""

from PySide6.QtCore import QObject

from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.voices.new.hear_page import HearPage
from pocketvoice.gui.voices.new.part_page import PartPage
from pocketvoice.gui.voices.new.session import NewVoiceSession
from pocketvoice.gui.voices.preview import VoicePreview

_PART, _TAKE = "part", "take "
"""Keys of the preview: the part, and the take with its index."""


class Listening(QObject):
    """Plays what the pages ask for, and shows there what is being played."""

    def __init__(
        self,
        preview: VoicePreview,
        session: NewVoiceSession,
        part: PartPage,
        hear: HearPage,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._preview = preview
        self._session = session
        self._part = part
        self._hear = hear
        self._messages = messages
        preview.changed.connect(self._show_playing)
        part.play_wanted.connect(self.play_part)
        hear.play_wanted.connect(self.play_take)
        session.take_ready.connect(self.play_take)

    def play_part(self) -> None:
        """Plays the clip as it would be used; while it plays, stops it."""
        start_s, stop_s = self._session.view.clip_s
        if self._preview.key == _PART:
            self._preview.stop()
        elif self._session.sound_path is not None:
            self._preview.play_file(_PART, self._session.sound_path, start_s, stop_s)
        else:
            self._messages.warn("It can't be played: there is no place to write it to. Free some space.")

    def play_take(self, index: int) -> None:
        """Plays a take; while it plays, stops it."""
        key = f"{_TAKE}{index}"
        if self._preview.key == key:
            self._preview.stop()
        elif index < len(self._session.view.takes):
            self._preview.play_file(key, self._session.view.takes[index].path)

    def _show_playing(self) -> None:
        key, at_s = self._preview.key, self._preview.position_s
        is_part = key == _PART
        where_s = self._session.view.clip_s[0] + at_s if is_part and at_s is not None else None
        self._part.show_playing(is_part, where_s)
        self._hear.show_playing(int(key.removeprefix(_TAKE)) if key.startswith(_TAKE) else -1)
