"""`python -m flows` is `rostrum`."""

import sys
from pathlib import Path

# Python looks in the current folder first, and that may be a corpus: its modules are not ours.
if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
    del sys.path[0]

from flows.cli import main

main()
