"""The one table of commands and keys: menus, shortcuts and the F1 help are made from it.

The rule for Space: while something is spoken the text is read-only, and Space in it plays and pauses; else Space is a space.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A row of the table: something the user can do, by menu and by keys."""

    name: str
    """By which the program knows it."""
    menu: str
    """The menu it stands in; "" is none."""
    title: str
    """In the menu, with & before the letter for Alt."""
    keys: tuple[str, ...] = ()
    """Portable key sequences; the first one is shown."""
    help: str = ""
    """A sentence for the tool tip and F1; "" is its title."""
    shown_keys: str = ""
    """For the help, where keys are handled elsewhere."""
    checkable: bool = False

    @property
    def sentence(self) -> str:
        """What it does, for people."""
        return self.help or self.title.replace("&", "").rstrip("…")


COMMANDS: tuple[Command, ...] = (
    Command("open", "&File", "&Open…", ("Ctrl+O",), "Open a book, a document or a text; dropping it does the same"),
    Command("new", "&File", "&New text", ("Ctrl+N",), "Empty the reader; the text stays in the recent texts"),
    Command("save", "&File", "&Save speech…", ("Ctrl+S",), "Save the speech as a sound file"),
    Command("book", "&File", "Make an audio&book…", (), "Make an audiobook of the document, with chapters"),
    Command("quit", "&File", "&Quit", ("Ctrl+Q",)),
    Command("speak", "&Speech", "&Speak", ("Ctrl+Enter", "Ctrl+Return"), "Speak the selection or from the cursor on"),
    Command("speak_all", "&Speech", "Speak from the s&tart", ("Ctrl+Shift+Enter", "Ctrl+Shift+Return")),
    Command("speak_clipboard", "&Speech", "Speak the &clipboard", ("Ctrl+Shift+V",)),
    Command("pause", "&Speech", "&Pause", ("Ctrl+P",), "Pause, or go on", "Space or Ctrl+P"),
    Command("stop", "&Speech", "S&top", ("Esc",), "Stop; the cursor goes to the sentence being heard"),
    Command("previous", "&Speech", "Sentence &back", ("Alt+Left",), "Start of the sentence, or the sentence before"),
    Command("next", "&Speech", "Sentence &forward", ("Alt+Right",), "Next sentence"),
    Command("skip_back", "&Speech", "15 seconds bac&k", ("Alt+Shift+Left",), "Hear the last 15 seconds again"),
    Command("skip_forward", "&Speech", "15 seconds for&ward", ("Alt+Shift+Right",), "Leave out 15 seconds"),
    Command("paragraph_back", "&Speech", "Para&graph back", ("Alt+Up",), "Start of the paragraph, or the paragraph before"),
    Command("paragraph_forward", "&Speech", "Paragraph forwar&d", ("Alt+Down",), "Next paragraph"),
    Command("chapter_back", "&Speech", "C&hapter back", ("Alt+PgUp",), "Start of the chapter, or the chapter before"),
    Command("chapter_forward", "&Speech", "Chapter fo&rward", ("Alt+PgDown",), "Next chapter"),
    Command("faster", "&Speech", "F&aster", ("Ctrl+Up",)),
    Command("slower", "&Speech", "S&lower", ("Ctrl+Down",)),
    Command("normal_speed", "&Speech", "&Normal speed", ("Ctrl+Shift+0",)),
    Command("how_read", "&Speech", "How this is &read…", ("Ctrl+Shift+H",), "Show what is said for the selection"),
    Command("pronounce", "&Speech", "Prono&unce as…", ("Ctrl+Shift+P",), "Say how the selected word is spoken"),
    Command("pronunciations", "&Speech", "Pronunc&iations…", (), "List, import and export pronunciations"),
    Command("emoji", "&Speech", "Read e&moji by name", (), "Say the names of emoji instead of skipping them", checkable=True),
    Command(
        "other_language", "&Speech", "Notice other langua&ges", (),
        "Ask when a paragraph is in another language that is installed", checkable=True,
    ),
    Command("voices", "V&oices", "&My voices…", ("Ctrl+Shift+M",), "Find, hear, choose and hand on voices of your own"),
    Command("new_voice", "V&oices", "&New voice…", ("Ctrl+Shift+N",), "Make a voice from a recording, or from the microphone"),
    Command("follow", "&View", "&Follow the speech", ("Ctrl+L",), "Keep the spoken sentence in view", checkable=True),
    Command("outline", "&View", "&Contents", ("Ctrl+Shift+L",), "Show the chapters beside the text", checkable=True),
    Command("look", "&View", "Te&xt and page…", ("Ctrl+Shift+T",), "Letters, lines and colours of the page"),
    Command("larger", "&View", "&Larger text", ("Ctrl++", "Ctrl+=")),
    Command("smaller", "&View", "&Smaller text", ("Ctrl+-",)),
    Command("help", "&Help", "&Keys", ("F1",), "Show all keys"),
    Command("about", "&Help", "&About Pocket Voice"),
)  # fmt: skip

OTHER_KEYS: tuple[tuple[str, str], ...] = (
    ("Double click, Ctrl+click", "While speaking: go to the sentence there"),
    ("Tab, Shift+Tab", "From control to control, out of the text too"),
)

SEPARATED = {"save", "quit", "pause", "previous", "faster", "how_read", "look"}
"""Commands with a line above them in their menu."""


def help_rows() -> list[tuple[str, str]]:
    """(keys, what they do), for the list behind F1."""
    rows = [(entry.shown_keys or entry.keys[0], entry.sentence) for entry in COMMANDS if entry.keys]
    return [*rows, *OTHER_KEYS]
