"""The user's voices for Qt's views: rows without widgets, so that five hundred cost as little as five. Main thread only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QDate,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)

from pocketvoice.gui.controllers.model_list import model_title
from pocketvoice.gui.voices.languages import language_title
from pocketvoice.voices.names import searchable

if TYPE_CHECKING:
    from pocketvoice.voices.voice import Voice

VOICE_ROLE = int(Qt.ItemDataRole.UserRole)
"""The `Voice` of a row."""
PLAYING_ROLE = VOICE_ROLE + 1
"""Whether the voice of a row is being played."""
DAMAGE_ROLE = VOICE_ROLE + 2
"""A sentence for the user if the files of a row's voice are damaged; else ""."""

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole


class VoiceItemModel(QAbstractListModel):
    """All voices, in the order of the library."""

    rename_wanted = Signal(str, str)  # id, new name

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._voices: list[Voice] = []
        self._playing = ""
        self._damage: dict[str, str] = {}

    def show_voices(self, voices: "Sequence[Voice]") -> None:
        """Shows these voices. While the order stays the same, views are told only of the rows that differ."""
        new = list(voices)
        if [voice.id for voice in new] == [voice.id for voice in self._voices]:
            changed = [row for row, voice in enumerate(new) if voice != self._voices[row]]
            self._voices = new
            for row in changed:
                self.dataChanged.emit(self.index(row), self.index(row))
            return
        self.beginResetModel()
        self._voices = new
        self.endResetModel()

    def show_playing(self, voice_id: str) -> None:
        """Marks the voice that is being played; "" is none."""
        old, self._playing = self._playing, voice_id
        for row, voice in enumerate(self._voices):
            if old != voice_id and voice.id in (old, voice_id):
                self.dataChanged.emit(self.index(row), self.index(row), [PLAYING_ROLE])

    def show_damage(self, damage: Mapping[str, str]) -> None:
        """Marks the voices that are damaged: id -> sentence."""
        old, self._damage = self._damage, dict(damage)
        for row, voice in enumerate(self._voices):
            if old.get(voice.id) != self._damage.get(voice.id):
                self.dataChanged.emit(self.index(row), self.index(row))

    def row_of(self, voice_id: str) -> int:
        """The row of a voice; -1 if it has none."""
        return next((row for row, voice in enumerate(self._voices) if voice.id == voice_id), -1)

    # ------------------------------------------------------------ for Qt

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        """The number of voices."""
        return 0 if parent.isValid() else len(self._voices)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every row can be edited: its name."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        """The value of a role: name, tool tip, text for screen readers, and the roles above."""
        if not index.isValid():
            return None
        voice = self._voices[index.row()]
        match role:
            case _Role.DisplayRole | _Role.EditRole:
                return voice.name
            case _Role.ToolTipRole:
                damage = self._damage.get(voice.id, "")
                lines = (voice.name, damage, about(voice), _consent(voice), voice.notes)
                return "\n".join(line for line in lines if line)
            case _Role.AccessibleTextRole:
                return ", ".join(
                    [
                        voice.name,
                        *(["favourite"] if voice.favourite else []),
                        *(["damaged"] if voice.id in self._damage else []),
                        about(voice).replace(" · ", ", "),
                    ]
                )
            case int() if role == VOICE_ROLE:
                return voice
            case int() if role == PLAYING_ROLE:
                return voice.id == self._playing
            case int() if role == DAMAGE_ROLE:
                return self._damage.get(voice.id, "")
        return None

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Asks for another name; the row changes when the library has changed."""
        name = str(value).strip()
        voice = self._voices[index.row()]
        if role != _Role.EditRole or not name or name == voice.name:
            return False
        self.rename_wanted.emit(voice.id, name)
        return True


class VoiceFilter(QSortFilterProxyModel):
    """The voices that hold every word that was typed, in the chosen language."""

    def __init__(self, source: VoiceItemModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self._language = ""
        self.setSourceModel(source)

    def search(self, words: str, language: str) -> None:
        """Shows only voices with these words, and of this language; "" is any."""
        self._words, self._language = searchable(words).split(), language
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Whether the voice of a row fits the search."""
        voice: Voice = self.sourceModel().index(row, 0, parent).data(VOICE_ROLE)
        if self._language and voice.language != self._language:
            return False
        where = searchable(
            " ".join((voice.name, language_title(voice.language), voice.language, voice.source, voice.notes))
        )
        return all(word in where for word in self._words)


def about(voice: "Voice") -> str:
    """The second line of a row: language, length, where it came from, when, and which models do not follow it."""
    length = f"{voice.clip_s:.0f} s" if voice.clip_s else "no recording"
    missed = [
        model_title(state.model_id.rpartition("-")[0]) for state in voice.states if not state.is_followed
    ]
    told = f"words go missing with {' and '.join(missed)}" if missed else ""
    parts = [language_title(voice.language), length, voice.source, _day(voice.created), told]
    return " · ".join(part for part in parts if part)


def _consent(voice: "Voice") -> str:
    if not voice.consent:
        return "Nobody's consent is on record."
    return f"“{voice.consent}” {_day(voice.consented)}".rstrip()


def _day(created: str) -> str:
    """A date as it is written in the user's language; "" if it can't be read."""
    try:
        when = datetime.fromisoformat(created.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return ""
    return QLocale().toString(QDate(when.year, when.month, when.day), "d MMM yyyy")
