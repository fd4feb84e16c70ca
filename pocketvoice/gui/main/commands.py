"""What the commands of the window do: each is a few lines that read the widgets and tell a controller.

Main thread only. Dialogs are opened and answer by signals; none of them blocks the loop.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers import sound_files, text_files
from pocketvoice.gui.controllers.messages import Remedy
from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.gui.main import keys, menus
from pocketvoice.gui.main.actions import Actions, fill_menus, make_actions
from pocketvoice.gui.main.help import AboutDialog, HelpDialog
from pocketvoice.gui.main.transport import TransportBar
from pocketvoice.gui.main.voice_choice import VoiceChoice
from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.widgets import dialogs
from pocketvoice.gui.widgets.dialogs import file_dialog, save_dialog
from pocketvoice.gui.widgets.transfer import clipboard_text
from pocketvoice.settings import MOST_CHARACTERS_KEPT

if TYPE_CHECKING:
    from pocketvoice.gui.main.window import Window

NOTHING_TO_READ = "There is nothing to read yet: type or paste a text, or drop a text file."
LOCKED = "The text can be edited again when the speech has stopped: press Esc."


class Commands:
    """Belongs to one window."""

    def __init__(self, window: "Window") -> None:
        self._window = window
        self._services = window.services
        self.actions: Actions = make_actions(
            window, {entry.name: getattr(self, entry.name) for entry in keys.COMMANDS}
        )
        menu = fill_menus(window, self.actions)
        self.actions["follow"].setChecked(True)
        self.desk = VoicesCoordinator(window)
        self.choices = VoiceChoice(window, self.desk)
        self.recent = menus.RecentTexts(
            menu["&File"], self.actions["save"], window.services.keeper, self.show_text
        )
        self.output = menus.SoundOutput(menu["&Speech"], window.services.keeper, window.services.models)
        self.size = menus.WindowSize(menu["&View"], window.services.keeper, window.services.board)

    def make_transport(self, actions: Actions) -> TransportBar:
        """The bar with our actions on its buttons."""
        return TransportBar(actions["stop"], actions["previous"], actions["next"])

    def connect_all(self) -> None:
        """Wires what the widgets say to what is done."""
        window, services = self._window, self._services
        reader, transport = window.reader, window.transport
        reader.context_actions = [self.actions["speak"]]
        reader.seek_wanted.connect(services.speech.seek)
        reader.pause_wanted.connect(services.speech.toggle_pause)
        reader.edit_refused.connect(partial(services.board.say, LOCKED))
        reader.files_dropped.connect(self.open_files)
        reader.follow_changed.connect(self.actions["follow"].setChecked)
        transport.play_wanted.connect(self._play)
        transport.seek_wanted.connect(lambda share: services.speech.seek(int(share * len(reader.text()))))
        transport.speed_wanted.connect(self._set_speed)
        transport.volume_wanted.connect(self._set_volume)
        window.message_bar.remedy_wanted.connect(self._remedy)
        window.message_bar.details_wanted.connect(self._show_details)
        services.speech.ended.connect(self._on_ended)
        self.choices.connect_all()
        self.desk.connect_all()

    # ------------------------------------------------------------ texts

    def open(self) -> None:
        """Asks for a text file."""
        dialog = file_dialog(self._window, "Open text", self._services.keeper.now.folder)
        patterns = " ".join(f"*{suffix}" for suffix in text_files.SUFFIXES)
        dialog.setNameFilters([f"Texts ({patterns})", "All files (*)"])
        dialog.fileSelected.connect(lambda path: self.open_files([path]))
        dialog.open()

    def open_files(self, paths: Sequence[str]) -> None:
        """Shows the texts of these files, one after the other; sounds and voices go to the voices."""
        paths = self.desk.take_in(paths)
        texts = []
        for path in paths:
            try:
                texts.append(text_files.read_text(path))
            except PocketVoiceError as error:
                self._services.board.show_error(error)
        if texts:
            self._services.keeper.change(folder=str(Path(paths[0]).parent))
            self.show_text("\n\n".join(texts))

    def show_text(self, text: str) -> None:
        """Puts another text into the reader; the old one goes to the recent texts."""
        self._services.speech.abandon()
        self._services.keeper.remember_text(self._window.reader.text())
        self._window.reader.set_text(text)
        self._window.reader.setFocus()

    def voices(self) -> None:
        """The user's own."""
        self.desk.show_page()

    def new_voice(self) -> None:
        """Makes one."""
        self.desk.new_voice()

    def new(self) -> None:
        """Empties the reader."""
        self.show_text("")

    def save(self) -> None:
        """Asks for a file and speaks the selection, or the whole text, into it."""
        text = self._selected_or_all()
        if not text.strip():
            self._services.board.say(NOTHING_TO_READ)
            return
        folder, name = self._services.keeper.now.folder, sound_files.name_for(text)
        dialog = save_dialog(self._window, "Save speech", folder, name, sound_files.FORMATS)
        dialog.fileSelected.connect(lambda path: self.save_as(text, Path(path)))
        dialog.open()

    def save_as(self, text: str, path: Path) -> None:
        """Speaks `text` into a file."""
        services = self._services
        services.keeper.change(folder=str(path.parent))
        services.exporter.save(text, path, voice=self.choices.voice(), speed=services.speech.view.speed)

    # ------------------------------------------------------------ speech

    def speak(self) -> None:
        """The selection, or from the cursor on; from the start where the cursor is at the end."""
        text, selection = self._window.reader.text(), self._window.reader.selection()
        if selection is not None and text[slice(*selection)].strip():
            self._speak(text[slice(*selection)], offset=selection[0])
            return
        caret = self._window.reader.caret()
        self._speak(text, start=caret if text[caret:].strip() else 0)

    def speak_all(self) -> None:
        """The whole text."""
        self._speak(self._window.reader.text())

    def speak_clipboard(self) -> None:
        """Shows the clipboard's text and speaks it."""
        text = clipboard_text()
        if not text.strip():
            self._services.board.say("There is no text on the clipboard: copy some first.")
            return
        if text != self._window.reader.text():
            self.show_text(text)
        self._speak(text)

    def pause(self) -> None:
        """Holds the speech, or goes on."""
        self._services.speech.toggle_pause()

    def stop(self) -> None:
        """Ends the speech."""
        self._services.speech.stop()

    def previous(self) -> None:
        """A sentence back."""
        self._services.speech.previous()

    def next(self) -> None:
        """A sentence forward."""
        self._services.speech.next()

    def faster(self) -> None:
        """A tenth."""
        self._set_speed(self._services.speech.stepped_speed(+1))

    def slower(self) -> None:
        """A tenth."""
        self._set_speed(self._services.speech.stepped_speed(-1))

    def normal_speed(self) -> None:
        """As it was made."""
        self._set_speed(1.0)

    def show_speech(self, view: SpeechView) -> None:
        """What can be done now."""
        for name in ("pause", "stop"):
            self.actions[name].setEnabled(view.phase in (Phase.WAITING, Phase.SPEAKING))
        for name in ("previous", "next"):
            self.actions[name].setEnabled(view.phase is Phase.SPEAKING)
        self.actions["pause"].setText("&Go on" if view.paused else "&Pause")

    def _play(self) -> None:
        if self._services.speech.view.active:
            self.pause()
        else:
            self.speak()
        self._window.reader.setFocus()  # so that Space and the arrows do there what they should

    def _speak(self, text: str, *, start: int = 0, offset: int = 0) -> None:
        if not text.strip():
            self._services.board.say(NOTHING_TO_READ)
            return
        if self._services.models.view.phase is ModelPhase.MISSING:
            self._services.models.recover()  # what failed may work by now; if not, it says why
        self._services.keeper.remember_text(self._window.reader.text())
        self._services.speech.speak(text, start=start, offset=offset, voice=self.choices.voice())

    def _on_ended(self, at: int) -> None:
        if at >= 0:
            self._window.reader.set_caret(at)

    def _set_speed(self, speed: float) -> None:
        self._services.speech.set_speed(speed)
        self._services.keeper.change(speed=self._services.speech.view.speed)

    def _set_volume(self, volume: float) -> None:
        self._services.speech.set_volume(volume)
        self._services.keeper.change(volume=self._services.speech.view.volume)

    def _selected_or_all(self) -> str:
        text, selection = self._window.reader.text(), self._window.reader.selection()
        return text[slice(*selection)] if selection is not None else text

    # ------------------------------------------------------------ view and help

    def follow(self) -> None:
        """Keeps the spoken sentence in view, or does not."""
        self._window.reader.set_follows(self.actions["follow"].isChecked())

    def larger(self) -> None:
        """The text."""
        self._change_font(+1)

    def smaller(self) -> None:
        """The text."""
        self._change_font(-1)

    def help(self) -> None:
        """All keys."""
        HelpDialog(self._window).open()

    def about(self) -> None:
        """What this is."""
        AboutDialog(self._window).open()

    def quit(self) -> None:
        """Ends the program."""
        self._window.close()

    def remember(self) -> None:
        """What the window looks like, for the next start."""
        text = self._window.reader.text()
        self._services.keeper.change(
            geometry=bytes(self._window.saveGeometry().toBase64().data()).decode(),
            draft=text if len(text) <= MOST_CHARACTERS_KEPT else "",
        )

    def _change_font(self, points: int) -> None:
        size = min(max(self._services.keeper.now.font_points + points, 8), 48)
        self._services.keeper.change(font_points=size)
        self._window.set_font_points(size)

    # ------------------------------------------------------------ messages

    def _remedy(self, remedy: Remedy) -> None:
        match remedy:
            case Remedy.CHOOSE_MODEL:
                self.choices.show_models()
            case Remedy.TRY_AGAIN:
                self._services.models.load_again()
            case Remedy.RESTART:
                self._services.models.recover()

    def _show_details(self) -> None:
        message = self._services.board.message
        if message is not None:
            dialogs.DetailsDialog(message, self._window).open()
