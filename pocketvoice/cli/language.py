"""`--language auto` of `say` and `generate`: the installed model that speaks the language of the text. Imports nothing heavy."""

import dataclasses
from typing import TypeVar

from pocketvoice.cli import checks
from pocketvoice.cli.options import GenerateOptions, SayOptions
from pocketvoice.cli.progress import tell
from pocketvoice.hub import catalogue

AUTO = "auto"

Options = TypeVar("Options", SayOptions, GenerateOptions)


def in_language_of_text(options: Options) -> Options:
    """The options with a model named, and the text read, where the model is to be found by the text; else as they are."""
    if options.speaker.model.language != AUTO:
        return options
    text = None if options.text is None else checks.text_of(options.text)
    name = catalogue.default_language() if text is None else model_for(text, quiet=options.quiet)
    model = dataclasses.replace(options.speaker.model, language=name)
    return dataclasses.replace(options, text=text, speaker=dataclasses.replace(options.speaker, model=model))


def model_for(text: str, *, quiet: bool) -> str:
    """The name of an installed model for the language that the text seems to be in, else the default; that is told."""
    from pocketvoice.text.normalise import LANGUAGES
    from pocketvoice.text.normalise.guess import guessed_language

    default = catalogue.default_language()
    installed = {catalogue.language_code(default): default}
    for name in catalogue.languages():
        if catalogue.is_installed(name):
            installed.setdefault(catalogue.language_code(name), name)
    code = guessed_language(text, LANGUAGES)
    if code is not None and code not in installed:
        wanted = next(name for name in catalogue.languages() if catalogue.language_code(name) == code)
        tell(
            f"The text seems to be in another language: `pocketvoice models download {wanted}` fetches a model for it. "
            f"{default} speaks it now.",
            quiet=quiet,
        )
    return installed.get(code or "", default)
