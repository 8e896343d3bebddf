"""Makes `python -m flows` the same as `rostrum`."""

import sys
from pathlib import Path

# Python looks for modules in the current folder first. That may be a corpus, whose modules must not be imported.
if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
    del sys.path[0]

from flows.cli import main

main()
