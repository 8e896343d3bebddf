"""`rostrum doctor`."""

import sys
from pathlib import Path

import click


@click.command()
def doctor() -> None:
    """Check this machine. Every line is ok, or says what to do. The exit code is 1 if there is something to do."""
    from pipeline.operations.doctor import findings

    found = list(findings({"prefect": _prefect}))
    for finding in found:
        click.echo(f"{'ok  ' if finding.is_ok else 'DO  '} {finding.name}: {finding.text}")
    sys.exit(0 if all(finding.is_ok for finding in found) else 1)


def _prefect() -> str:
    from flows.current_folder import refuse_settings_of_prefect
    from pipeline.errors import RostrumError

    refuse_settings_of_prefect(Path.cwd())
    import prefect

    from flows.server.temporary import configured_url, is_healthy

    url = configured_url()
    if url is None:
        return f"prefect {prefect.__version__}; no server is set up, so each run starts a temporary one"
    if not is_healthy(url):
        raise RostrumError(f"the server at {url} does not answer; run `rostrum server`, or unset PREFECT_API_URL")
    return f"prefect {prefect.__version__}; the server at {url} answers"
