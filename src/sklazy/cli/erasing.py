"""Declarations of the commands that erase rows and check that they are gone."""

import click

from sklazy.cli.options import IN_FILE, OUT_FILE, key_option, runs

_ids_option = click.option(
    "--id", "ids", multiple=True, help="Id of a row. Repeat for several."
)


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--id",
    "ids",
    multiple=True,
    required=True,
    help="Id of a row to erase. Repeat for several.",
)
@click.option(
    "--certificate",
    type=OUT_FILE,
    required=True,
    help="Write the certificate to this JSON file.",
)
@click.option("--html", type=OUT_FILE, help="Write it to this HTML page, too.")
@click.option(
    "--search",
    multiple=True,
    type=click.Path(exists=True),
    help="Another file or folder to search for the bytes of the rows, such as a "
    "backup. Repeat for several.",
)
@click.option(
    "--copy",
    "copies",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="Copy of the model, such as a backup: the rows are erased from it, too. With "
    "one, rows that MODEL has no more can be searched again. Repeat for several.",
)
@click.option(
    "--receipts",
    multiple=True,
    type=click.Path(exists=True),
    help="File or folder with receipts as JSON; those that name the rows are listed. "
    "Repeat for several.",
)
@key_option
@runs("erase")
def erase() -> None:
    """Erase rows from a MODEL, and prove it by a certificate.

    The model then equals a fit without the rows, which is checked, and its files are
    searched for what the rows held. The exit code is 1 if anything was found. With
    --key the certificate is signed.

    \b
    Examples:
      sklazy erase rent.sklazy --id F012 --certificate gone.json --html gone.html
      sklazy erase rent.sklazy --id F012 --id F013 --certificate gone.json --key secret
      sklazy erase rent.sklazy --id F012 --certificate gone.json --copy old.sklazy
    """


@click.command("check-certificate")
@click.argument("certificate", type=IN_FILE)
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@_ids_option
@key_option
@runs("erase")
def check_certificate() -> None:
    """Check a CERTIFICATE of erasure with the MODEL that it is about.

    Its seal and, with --key, its signature are checked; the digest of the model is
    computed, once more from a fit to its rows. With --id, the certificate must be about
    that row.

    \b
    Examples:
      sklazy check-certificate gone.json rent.sklazy
      sklazy check-certificate gone.json rent.sklazy --id F012 --key secret
    """
