"""Carrying out a plan on threads."""

import subprocess
import sys
from pathlib import Path

import pytest

# Prints, when the first job begins, whether the libraries are there that threads cannot import side by side.
_RUN = """
import sys
from pathlib import Path
from pipeline.run.configuration import Settings
from pipeline.corpus import open_corpus
from pipeline.run.execute import Watcher, execute
from pipeline.run.plan import plan_run
from pipeline.run.store import Store

class First(Watcher):
    def began(self, job):
        print(job.stage.name, "nltk" in sys.modules)

execute(plan_run(open_corpus(Path("corpus")), Store("run"), Settings(), ["segment"]), watcher=First())
"""


@pytest.mark.slow
def test_what_threads_cannot_import_side_by_side_is_there_before_them(tmp_path: Path) -> None:
    """Two stages that read text begin at once: the second found nltk half imported, and failed."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "talk.ctm").write_text("talk 1 0.0 0.4 hello 0.9\n", encoding="utf-8")
    (tmp_path / "corpus" / "speeches.csv").write_text("id,transcript\ntalk,talk.ctm\n", encoding="utf-8")
    ran = subprocess.run([sys.executable, "-c", _RUN], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "segment True" in ran.stdout, ran.stderr
