"""What a notebook needs of rostrum: `import rostrum; run = rostrum.load("runs/debate"); run.words`."""

from pipeline.tables import Frames, load

__all__ = ["Frames", "load"]
