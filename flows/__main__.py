"""`python -m flows` is `rostrum`."""

from flows.cli import main

main()
