"""The command line, as the command object that the tests' runner calls."""

import typer

from pocketvoice.cli import main as run
from pocketvoice.hub import catalogue

cli_app = typer.Typer()


@cli_app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def _command(context: typer.Context) -> None:
    given = [catalogue.default_language() if word == "english" else word for word in context.args]
    raise typer.Exit(run(given))
