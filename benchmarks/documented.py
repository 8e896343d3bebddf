"""The commands of the pages that print figures, and where in a page these stand; and those that are not run again."""

from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Documented:
    """A command, and the part of a page that has its figures: from the first line with `begins` to that with `ends`.

    A `quick` one takes less than a minute of a free core. With `tables_only` the text between tables is left out. Of a
    table only the `columns` whose title matches are compared, and no row whose first cell matches `without`. So many
    `units` of the last digit may differ: what a regression over vectors learns hangs on the processor by so much.
    """

    command: str
    page: str
    begins: str
    ends: str
    quick: bool = False
    tables_only: bool = True
    columns: str = ""
    without: str = "(?!)"
    units: int = 0

    @property
    def needs_data(self) -> bool:
        return "../data" in self.command

    def part(self) -> list[str]:
        lines = (ROOT / "docs" / self.page).read_text("utf-8").splitlines()
        start = next((n for n, line in enumerate(lines) if self.begins in line), None)
        if start is None:
            raise click.ClickException(f"docs/{self.page}: no line has {self.begins!r}; correct benchmarks/figures.py")
        end = next((n for n in range(start + 1, len(lines)) if self.ends in lines[n]), len(lines))
        return lines[start:end]


_COUNTER = "rostrum evaluate counter --data ../data/ibm-debates"
_CONVINCING = "rostrum evaluate convincing --data ../data/ukpconvarg1"
_GRADE = "rostrum train grade --data ../data/mohler-asag --out score.json"
_KEYPOINTS = "rostrum evaluate keypoints --data ../data/kpa2021"
_LISTENING = "rostrum evaluate listening --data ../data/ibm-debates"
_MOTION = f"{_COUNTER} --protocol motion"

DOCUMENTED = (
    Documented(
        "rostrum evaluate counter --data audio_samples --encoder none --vectors none --protocol motion",
        "counter.md",
        "**With kinds of answers.**",
        "All responses are told",
        quick=True,
    ),
    Documented(
        "rostrum evaluate content --data ../data/rouge-testdata",
        "content.md",
        "## ROUGE as the script counts it",
        "## The scoring study",
        quick=True,
    ),
    Documented(
        f"{_LISTENING} --labels",
        "mentions.md",
        "### Where the ceiling is",
        "The main table has a row `people`",
        quick=True,
        tables_only=False,
    ),
    Documented(
        "rostrum evaluate speeches --data ../data/ibm-debates",
        "speakers.md",
        "## Further uses of recorded debates",
        "## Nothing",
        quick=True,
        units=1,
    ),
    Documented(
        f"{_CONVINCING} --method majority --method 'longer (characters)'",
        "convincing.md",
        "| majority | .502",
        "| longer (words)",
        quick=True,
    ),
    Documented(_MOTION, "counter.md", "**`motion`**", "**`retrieval`**"),
    Documented(_MOTION, "counter.md", "### Reports of the other side", "None of these names"),
    Documented(_MOTION, "counter.md", "- Assignment is what helps most", "**With kinds of", tables_only=False),
    Documented(_MOTION, "counter.md", "| method | all-MiniLM-L6-v2 |", "Many speeches on", columns="MiniLM"),
    Documented(
        f"{_MOTION} --encoder bge-small-en-v1.5-int8",
        "counter.md",
        "| method | all-MiniLM-L6-v2 |",
        "Many speeches on",
        columns="bge",
    ),
    Documented(f"{_COUNTER} --protocol retrieval", "counter.md", "**`retrieval`**", "**By any speaker**"),
    Documented(
        f"{_COUNTER} --protocol 'motion, any speaker' --protocol 'retrieval, any speaker'",
        "counter.md",
        "**By any speaker**",
        "BERT needs weights",
    ),
    Documented(
        f"{_MOTION} --bert all-MiniLM-L6-v2", "counter.md", "BERT needs weights", "### Reports", tables_only=False
    ),
    Documented(
        "rostrum evaluate graph --data ../data/ukpconvarg1", "convincing.md", "### The published graphs", "## Limits"
    ),
    Documented(
        f"{_CONVINCING}",
        "convincing.md",
        "| method | accuracy | within topics",
        "- **People**",
        without="blstm|people",
    ),
    Documented(f"{_CONVINCING} --method svm", "convincing.md", "| svm | .78", "| svm, lemma n-grams, C"),
    Documented(f"{_CONVINCING} --method blstm", "convincing.md", "| blstm | ", "| blstm, text by text"),
    Documented(
        f"{_CONVINCING} --method 'blstm, text by text'",
        "convincing.md",
        "| blstm, text by text | .7",
        "| bradley-terry, surface",
    ),
    Documented(
        f"{_CONVINCING} --method blstm --seed 1", "convincing.md", "reaches .753", "Of the errors", tables_only=False
    ),
    Documented(
        f"{_CONVINCING} --method majority --people ../data/ukpconvarg1/data/UKPConvArg1-full-XML",
        "convincing.md",
        "| people, one against",
        "| *published: people*",
    ),
    Documented(
        f"{_CONVINCING} --test ../data/ibm-eviconv",
        "convincing.md",
        "| UKPConvArg1 | IBM-EviConv train",
        "| UKPConvArg1 | IBM-ArgQ-9.1k",
    ),
    Documented(
        f"{_CONVINCING} --test ../data/ibm-argq",
        "convincing.md",
        "| UKPConvArg1 | IBM-ArgQ-9.1k",
        "| IBM-ArgQ-9.1k | IBM-EviConv",
    ),
    Documented(
        "rostrum evaluate convincing --data ../data/ibm-argq --test ../data/ibm-eviconv",
        "convincing.md",
        "| IBM-ArgQ-9.1k | IBM-EviConv",
        "The model that ships",
    ),
    Documented(
        f"{_CONVINCING} --test ../data/ibm-eviconv --method 'shipped model'",
        "convincing.md",
        "| IBM-EviConv train | .6",
        "| IBM-ArgQ-9.1k | .6",
    ),
    Documented(
        f"{_CONVINCING} --test ../data/ibm-eviconv --method 'shipped model'",
        "convincing.md",
        "UKPConvArg1 has no pairs across",
        "such judgements are",
        tables_only=False,
    ),
    Documented(
        f"{_CONVINCING} --test ../data/ibm-argq --method 'shipped model'",
        "convincing.md",
        "| IBM-ArgQ-9.1k | .6",
        "Learned from several sets",
    ),
    Documented(
        f"{_CONVINCING} --also ../data/ibm-argq --also ../data/ibm-eviconv --method 'longer (characters)' "
        "--method 'gaussian process, spoken, without length'",
        "convincing.md",
        "| left out | learned from",
        "Several sets teach more",
    ),
    Documented(
        "python benchmarks/convincing_ablation.py --data ../data/ukpconvarg1",
        "convincing.md",
        "| left out | features left",
        "### Other sets",
    ),
    Documented(
        "rostrum evaluate content --data ../data/mohler-asag",
        "content.md",
        "| 2,030 responses",
        "## Scoring a spoken answer",
    ),
    Documented(_GRADE, "content.md", "| content, language (the default)", "| the same and what"),
    Documented(f"{_GRADE} --argument", "content.md", "| the same and what is argued", "| language and what"),
    Documented(f"{_GRADE} --no-content", "content.md", "| language and what", "| language (`--no-content"),
    Documented(f"{_GRADE} --no-content --no-argument", "content.md", "| language (`--no-content", "What is argued"),
    Documented(_LISTENING, "mentions.md", "| method | asr accuracy", "#### Read by a person"),
    Documented(_LISTENING, "mentions.md", "- What people said outright", "- Recognition errors", tables_only=False),
    Documented(_LISTENING, "mentions.md", "So 95 of 115", "#### Read by a person", tables_only=False),
    Documented(_LISTENING, "mentions.md", "| share of people who heard it", "Fifty errors"),
    Documented(_LISTENING, "mentions.md", "### Which claims matter", "### A run's own transcripts"),
    Documented(
        "rostrum evaluate debates --data ../data/elecdeb",
        "mentions.md",
        "| method | elecdeb: AUC",
        "The thresholds of length",
        columns="elecdeb",
    ),
    Documented(
        "rostrum evaluate debates --data ../data/iq2",
        "mentions.md",
        "| method | elecdeb: AUC",
        "The thresholds of length",
        columns="iq2",
    ),
    Documented("rostrum evaluate debates --data ../data/iq2", "speakers.md", "| table | transcript", "## The model"),
    Documented(_KEYPOINTS, "papers.md", "Track 1 on dev", "| in the paper | here |", without="cross-encoder|tuned-bge"),
    Documented(
        f"{_KEYPOINTS} --matcher tuned-bge",
        "keypoints.md",
        "| method | leaderboard strict",
        "### What each part adds",
        without="cross-encoder",
    ),
    Documented(_KEYPOINTS, "keypoints.md", "### Generation", "### At scale"),
    Documented(f"{_KEYPOINTS} --folds 2", "keypoints.md", "| token overlap | .581", "Fine-tuning is what matters"),
    Documented(
        f"{_KEYPOINTS} --folds 2 --unlearned", "keypoints.md", "| token overlap | .581", "| fine-tuned, cosine alone"
    ),
    Documented(
        "python benchmarks/keypoints_on_speech.py --data ../data/ibm-debates",
        "keypoints.md",
        "| matcher | iDebate's claims",
        "Three things about speech",
    ),
    *(
        Documented(
            f"python benchmarks/keypoints_on_speech.py --data ../data/ibm-debates --matcher ensemble --adjust {adjust}",
            "keypoints.md",
            f"| `{adjust}`",
            "|",
        )
        for adjust in ("none", "standing-out", "particular", "speech")
    ),
    Documented(
        "python benchmarks/keypoints_on_speech.py --data ../data/ibm-debates --matcher ensemble",
        "keypoints.md",
        "Of the sentences that are counted",
        "### Generation",
        tables_only=False,
    ),
    Documented(
        "rostrum evaluate relations --data ../data/elecdeb", "pairs.md", "## Support and attack", "## No", units=2
    ),
    Documented(
        "rostrum evaluate segmentation --data ../data/ibm-debates", "segmentation.md", "| | precision", "## Nothing"
    ),
    Documented("rostrum evaluate pitch --data ../data/fda-pitch", "prosody.md", "| tracker | gross", "## Speed"),
    Documented(
        "rostrum train mentions --data ../data/ibm-debates",
        "mentions.md",
        "Over all 30, each left out once",
        "- What people said outright",
        tables_only=False,
    ),
    Documented(
        "rostrum evaluate diarization --data ../data/diarization",
        "diarization.md",
        "| clip | speech, s",
        "The rows *pyannote.audio*",
    ),
    Documented(
        "rostrum evaluate diarization --data audio_samples",
        "diarization.md",
        "On the exchange of `audio_samples`",
        "The scorer itself",
        tables_only=False,
    ),
    Documented(
        "python benchmarks/channels.py --data ../data/librispeech-other",
        "diarization.md",
        "| channels | recognised",
        "## Settings",
    ),
    Documented(
        "python benchmarks/voices.py --data ../data/librispeech-other",
        "speakers.md",
        "| test files | pairs of one",
        "Names at .9",
    ),
    Documented(
        "ROSTRUM_TRANSCRIPTS=off rostrum evaluate wer --data ../data/librispeech-other --model small",
        "transcription.md",
        "| LibriSpeech test-other, 50 utterances one",
        "| two town halls",
        columns="small",
    ),
    Documented(
        "python benchmarks/asr.py --data ../data/librispeech-other",
        "transcription.md",
        "| each utterance by itself",
        "Without `--word_timestamps`",
        columns="WER",
    ),
    Documented(
        "python benchmarks/few_labels.py --data ../data/ibm-debates",
        "studies.md",
        "| labels | drawn by",
        "The queue's labels",
    ),
    Documented(
        "python benchmarks/unanswered.py --judged benchmarks/unanswered.csv",
        "report.md",
        "| shown | points",
        'So "no answer found"',
        quick=True,
    ),
    Documented(
        "python benchmarks/robustness.py --data ../data --figures figures", "robustness.md", "## Content", "## Nothing"
    ),
)

# Commands of the pages that are not run again, by the reason.
NOT_RERUN = {
    "no figure stands beside it": (
        "rostrum train counter --data ../data/ibm-debates",
        "rostrum train keypoints --data ../data/kpa2021",
        "rostrum train clauses --data ../data",
        "rostrum train reasons --data ../data",
        "rostrum train noise --data ../data/ibm-debates",
        f"{_MOTION} --questions FILE",
        f"{_KEYPOINTS} --annotate FOLDER",
        "rostrum train mentions --data ../data/kpa2021 [--encoder all-MiniLM-L6-v2] --out FILE",
        "rostrum train noise --data ../data/librispeech-other --behind 6 --behind 0 --source '...' "
        "--out pipeline/text/confusions.json",
        "OMP_NUM_THREADS=1 rostrum train keypoints --data ../data/kpa2021 --perspectrum ../data/perspectrum "
        "--threads 1 --encoder bge-small-en-v1.5-int8 --layers 4 --learning-rate 3e-4 --no-topic --noise 0.4 "
        "--centre 0.7 --scale 20",
        "rostrum train sides --data ../data --threads 1",
    ),
    "needs what people wrote, or weights that do not come with rostrum": (
        f"{_KEYPOINTS} --annotated FOLDER",
        f"{_KEYPOINTS} --predictions FILE --predictions FILE",
        f"{_COUNTER} --bert bert-base-uncased --epochs 3",
        "python benchmarks/reading_sheet.py RUN... --out FOLDER",
        "PYTHONPATH=. python benchmarks/study_in_browser.py --to DIR --run RUN",
    ),
    "trains weights, which hang on the processor: its figures are those of the weights that it made": (
        "rostrum train cross-encoder --data ../data/kpa2021",
        "rostrum train cross-encoder --data ../data/kpa2021 --out cross-encoder",
        f"{_KEYPOINTS} --matcher cross-encoder:cross-encoder",
        "OMP_NUM_THREADS=1 rostrum train keypoints --data ../data/kpa2021 --threads 1",
        "rostrum train pairs --data ../data --threads 1 --out pairs.safetensors",
        "rostrum evaluate pairs --data ../data --weights pairs.safetensors",
    ),
    "prints times, memory or sizes, which are those of a machine": (
        "OMP_NUM_THREADS=1 python benchmarks/counter.py",
        "python benchmarks/many_speeches.py --data ../data/ibm-debates --stage counter --speeches 20",
        "OMP_NUM_THREADS=1 python benchmarks/many_speeches.py --data ../data/ibm-debates --stage keypoints",
        "OMP_NUM_THREADS=1 python benchmarks/keypoints_scale.py",
        "OMP_NUM_THREADS=1 python benchmarks/mentions.py --data ../data/ibm-debates",
        "python benchmarks/end_to_end.py",
        "python benchmarks/end_to_end.py --peers OTHER/bin/python --faster-whisper-model FOLDER",
        "python benchmarks/recognition.py FOLDER --peers OTHER/bin/python",
        "OMP_NUM_THREADS=2 python benchmarks/per_file.py",
        "python benchmarks/growth.py --first-runs 5000",
        "python benchmarks/growth.py --speeches '' --rows 0 --hours 3 --steps ingest,speakers",
        "python benchmarks/growth.py --hours 1 --silent --steps all",
        "PYTHONPATH=. python benchmarks/server.py --clips 200 --shards 1,2,4 --killed --stages diarize "
        "--set diarize.mode=vad",
        "PYTHONPATH=. python benchmarks/server.py --clips 60 --set transcribe.model=tiny.en",
        "PYTHONPATH=. python benchmarks/transcribe.py",
        "PYTHONPATH=. python benchmarks/report.py --to DIR",
        "PYTHONPATH=. python benchmarks/cluster.py",
        "OMP_NUM_THREADS=1 PYTHONPATH=. python benchmarks/prosody.py --repeats 3",
        "python benchmarks/limit.py",
        "python benchmarks/shards.py",
        "python benchmarks/image.py",
        "python benchmarks/soak.py FOLDER",
        "python benchmarks/languages.py",
        "rostrum train segmenter --data ../data/ibm-debates",
    ),
    "makes what ships, or is the same but for what it writes": (
        f"{_CONVINCING.replace('evaluate', 'train')}",
        f"{_CONVINCING.replace('evaluate', 'train')} --elsewhere ../data/ibm-argq --elsewhere ../data/ibm-eviconv "
        "--out pipeline/convincing/default.npz",
        f"{_CONVINCING.replace('evaluate', 'train')} --also ../data/ibm-argq --also ../data/ibm-eviconv",
    ),
}
