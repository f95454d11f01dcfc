"""``sitegen serve``: the site in a browser on this machine, as new as your last edit."""

from __future__ import annotations

import sys

import click

from sitegen.cli.commands.build_command import default_jobs
from sitegen.cli.exits import CLEAN, CommandError
from sitegen.cli.session import CliSession, pass_session
from sitegen.cli.text.terminal import printable
from sitegen.cli.time_limit import time_limit_option

EPILOG = """\b
Example:
  sitegen serve --port 8080
"""


@click.command("serve", epilog=EPILOG)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port; 0 for any free port.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Another host name that browsers may use; repeatable.",
)
@time_limit_option()
@pass_session
def command(
    session: CliSession, host: str, port: int, allow_host: tuple[str, ...], time_limit: int
) -> int:
    """Serve the site from memory; after a broken edit, keep the last good site with the problems.

    After an edit, sitegen first renders the page that you see; the rest follows in the
    background.

    Unless you say otherwise, it answers only this machine, and only under its own names.
    """
    from sitegen.cli.earlier_builds import store_of
    from sitegen.serve import Address, AddressTaken, Builder, Drafter, fingerprint, serve

    root = session.root
    store = store_of(root)
    folder = store.root if store else None
    builder = Builder(
        root, jobs=default_jobs(), limit_s=time_limit, store=folder, private=session.private
    )
    address = Address(host=host, port=port, allowed_names=allow_host)
    if address.is_public:
        session.note("warning: anyone who can reach this address can read your unpublished site")
    try:
        serve(
            address,
            rebuild=builder,
            look=lambda: fingerprint(root, session.private),
            say=_say,
            stop=builder.stop,
            drafter=Drafter(root, folder, session.private) if folder else None,
        )
    except AddressTaken as error:
        raise CommandError(str(error)) from error
    return CLEAN


def _say(text: str) -> None:
    print(printable(text, keep_newlines=True), file=sys.stderr, flush=True)
