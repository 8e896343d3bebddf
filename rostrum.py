"""What a notebook needs of rostrum: `import rostrum; run = rostrum.load("runs/debate"); run.words`."""

from pipeline.output.frames import Frames, load

__all__ = ["Frames", "load"]
