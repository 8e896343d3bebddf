"""A study of every task: made, answered by people who are wrong at times and by careless ones, collected, evaluated."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scipy.stats import spearmanr

from pipeline.cli import main_group
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation
from pipeline.formats import read_turns
from pipeline.records import Label
from pipeline.studies.collect import Collected, collect, write_collected
from pipeline.studies.items import Answers, Item
from pipeline.studies.quality import Rules
from pipeline.studies.study import StudyFolder
from tests.pipeline.studies.conftest import SAMPLES, Make, write_debates, write_task_files
from tests.pipeline.studies.people import Careless, Crowd, Person, Truth

CARELESS: tuple[Careless, ...] = ("guesses", "always first", "hasty", "guesses", "guesses")
COPYING: tuple[Careless, ...] = ("copies", "guesses", "hasty", "copies", "guesses")


def crowd(folder: StudyFolder, truth: Truth, careless: tuple[Careless, ...] = CARELESS, noise: float = 0.1) -> Crowd:
    """Everybody in the study; the first ones are careless."""
    workers = [sheet.worker for sheet in folder.study.sheets]
    kinds = [*careless, *[None] * len(workers)]
    return Crowd(folder, {w: Person(noise, kind) for w, kind in zip(workers, kinds, strict=False)}, truth)


def collected(crowd: Crowd, to: Path) -> tuple[Collected, Evaluation]:
    crowd.answer_everything()
    result = collect(crowd.folder, Rules())
    return result, write_collected(result, to)


def left_out(result: Collected) -> set[str]:
    return {each.worker for each in result.quality if each.left_out}


def careless_of(crowd: Crowd) -> set[str]:
    return {worker for worker, person in crowd.people.items() if person.careless}


def known(item: Item) -> Answers:
    return item.known


def evaluation(*arguments: str) -> dict[str, Any]:
    """What a command prints as JSON."""
    result = CliRunner().invoke(main_group, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    content: dict[str, Any] = json.loads(result.stdout[result.stdout.index("{") :])
    return content


def trained(*arguments: str) -> str:
    result = CliRunner().invoke(main_group, ["train", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def labels() -> dict[tuple[str, str], Label]:
    return {(each.speech, each.argument): each for each in open_corpus(SAMPLES).labels}


@pytest.mark.slow
def test_listening(make: Make, tmp_path: Path, labels: dict[tuple[str, str], Label]) -> None:
    """Fifty people hear and read the samples: the careless are found, the labels are those of the samples."""
    folder = make("listening", workers=50, per_item=15, tests=2, training=1, options={"reading": 0.5})
    people = crowd(folder, known)
    result, figures = collected(people, tmp_path / "out")
    assert left_out(result) == careless_of(people), "the careless by construction, and nobody else"
    corpus = tmp_path / "out" / "corpus"
    heard = open_corpus(corpus).without_problems().labels
    assert len(heard) > 40
    assert [each.mentioned for each in heard] == [labels[each.speech, each.argument].mentioned for each in heard]
    of_mentioned = [each for each in heard if each.mentioned]
    assert [each.how for each in of_mentioned] == [labels[each.speech, each.argument].how for each in of_mentioned]
    (beside,) = [row for row in figures.rows if row["method"] == "listening beside reading"]
    assert beside["accuracy"] == 1.0
    out = tmp_path / "out"
    rows = evaluation(
        *("evaluate", "listening", "--data", str(corpus), "--labels"),
        *("--votes", str(out / "votes.csv"), "--reading", str(out / "reading.csv")),
    )["rows"]
    values = {row["statistic"]: row["value"] for row in rows if "of" not in row and "at" not in row}
    assert values["majority_is_the_label"] == 1.0
    assert values["mace_is_the_label"] == 1.0
    assert values["listening_reading_agreement"] == 1.0
    assert values["annotator_accuracy"] == pytest.approx(0.93, abs=0.05), (
        "a tenth of the answers is wrong, a half of it NOT"
    )
    summary = trained("mentions", "--data", str(corpus), "--out", str(tmp_path / "detector.json"))
    assert "left out: accuracy" in summary
    assert (tmp_path / "detector.json").is_file()


@pytest.mark.slow
def test_counter(make: Make, tmp_path: Path) -> None:
    folder = make("counter", workers=12, per_item=12, options={"medium": "text"})
    people = crowd(folder, lambda item: {**item.known, "sure": "sure", "reasons": ["reports"]}, careless=())
    result, figures = collected(people, tmp_path / "out")
    corpus, source = open_corpus(tmp_path / "out" / "corpus").without_problems(), open_corpus(SAMPLES)
    answers = {entry.speech.id: entry.speech.answers for entry in source.entries}
    assert {entry.speech.id: entry.speech.answers for entry in corpus.entries if entry.speech.answers} == {
        speech: answer for speech, answer in answers.items() if answer
    }
    (all_,) = [row for row in figures.rows if row["method"] == "people" and row["of"] == "all"]
    assert all_["accuracy"] == pytest.approx(0.9, abs=0.1)
    assert all_["chance"] == pytest.approx(1 / 3)
    reasons = {row["reason"]: row for row in figures.rows if row["method"] == "reasons"}
    assert reasons["reports"]["right"] > 0.7 > 0.3 > reasons["order"]["right"]
    rows = evaluation(
        *("evaluate", "counter", "--data", str(corpus.folder), "--encoder", "none", "--vectors", "none"),
        *("--people", str(tmp_path / "out" / "answers.csv"), "--protocol", "motion"),
    )["rows"]
    (human,) = [row for row in rows if row["method"] == "people"]
    assert human["accuracy"] == pytest.approx(all_["accuracy"], abs=0.1)
    weights = tmp_path / "ranker.json"
    trained("counter", "--data", str(corpus.folder), "--encoder", "none", "--vectors", "none", "--out", str(weights))
    assert weights.is_file()


def test_a_guess_counts_as_chance(make: Make) -> None:
    """Two right answers to a question of three candidates, one of them a guess: (1 + 1/3) / 2."""
    from pipeline.studies.study import Given
    from pipeline.studies.tasks.counter import accuracy

    (item, *_) = make("counter", workers=3, options={"medium": "text"}).study.items
    given = [
        Given(worker="w", item=item.id, number=sure, answers={**item.known, "sure": sure}, seconds=1, at=1)
        for sure in ("sure", "guess")
    ]
    row = accuracy([(item, each) for each in given])
    assert row["guesses_by_chance"] == pytest.approx(2 / 3)
    assert (row["accuracy"], row["above_chance"], row["accuracy_if_sure"]) == (1.0, 1.0, 1.0)


def better(item: Item) -> Answers:
    """The argument whose id comes last convinces more."""
    return {"vote": max(item.about, key=lambda letter: item.about[letter])}


@pytest.mark.slow
def test_pairs(make: Make, tmp_path: Path) -> None:
    folder = make("pairs", workers=50, per_item=9, seed=1)
    assert len(folder.study.items) == 104
    people = crowd(folder, better, COPYING)
    result, _ = collected(people, tmp_path / "out")
    assert left_out(result) == careless_of(people)
    reasons = {each.worker: "; ".join(each.left_out) for each in result.quality}
    assert "texts" in reasons["w01"]
    assert " s, others in " in reasons["w03"]
    assert "no more than chance" in reasons["w02"]
    right = [item.name(label.best) == max(item.about.values()) for item, (label, *_) in result.labelled()]
    assert sum(right) >= 103
    found = evaluation("graph", str(tmp_path / "out" / "votes.csv"))
    assert found["rows"]
    graph = tmp_path / "graph"
    CliRunner().invoke(main_group, ["graph", str(tmp_path / "out" / "votes.csv"), "--out", str(graph)])
    with (graph / "ranks.csv").open() as file:
        ranked = [row for row in csv.DictReader(file) if "week" in row["topic"] or "four-day" in row["topic"]]
    by_topic = {row["topic"]: [one for one in ranked if one["topic"] == row["topic"]] for row in ranked}
    for rows in by_topic.values():
        order = [row["argument"] for row in sorted(rows, key=lambda row: float(row["rank"]))]
        assert spearmanr([sorted(order, reverse=True).index(each) for each in order], range(len(order)))[0] > 0.85


@pytest.mark.slow
def test_pairs_are_learned_from(make: Make, tmp_path: Path) -> None:
    folder = make("pairs", workers=6, consent=False)
    collected(crowd(folder, better, ()), tmp_path / "out")
    data = str(tmp_path / "out" / "pairs")
    rows = evaluation("evaluate", "convincing", "--data", data, "--method", "longer (words)")["rows"]
    assert any(row["method"] == "longer (words)" for row in rows)
    trained("convincing", "--data", data, "--no-check", "--out", str(tmp_path / "model.npz"))
    assert (tmp_path / "model.npz").is_file()


@pytest.fixture
def argkp(tmp_path: Path) -> Path:
    return write_task_files(tmp_path / "argkp")


@pytest.mark.slow
def test_keypoints(make: Make, tmp_path: Path, argkp: Path) -> None:
    folder = make("keypoints", argkp, workers=50, per_item=15, tests=4)
    people = crowd(folder, known, ("guesses", "always first", "hasty", "guesses"))
    result, _ = collected(people, tmp_path / "out")
    assert left_out(result) == careless_of(people)
    with (tmp_path / "out" / "keypoints" / "labels.csv").open() as file:
        written = list(csv.DictReader(file))
    wrong = [row for row in written if (row["arg_id"][2:] == row["key_point_id"][2:]) != (row["label"] == "1")]
    assert wrong == []
    assert sum(row["label"] == "1" for row in written) >= 32
    rows = evaluation("evaluate", "keypoints", "--data", str(tmp_path / "out" / "keypoints"), "--unlearned")["rows"]
    assert any(row["method"] == "tf-idf" for row in rows)


def test_sets(make: Make, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet"
    sheet.mkdir()
    comparisons = {f"c{n}": ["good", "poor"] if n % 2 else ["poor", "good"] for n in range(12)}
    rows = [
        (name, "Cats", "pro", *(f"{system} point {name} (60%)\nother (40%)" for system in systems), "")
        for name, systems in comparisons.items()
    ]
    with (sheet / "sets.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("comparison", "topic", "stance", "left", "right", "better"), *rows])
    (sheet / "systems.json").write_text(json.dumps({"matches": {"good": [], "poor": []}, "comparisons": comparisons}))
    folder = make("sets", sheet, workers=9, per_item=9)
    seen = json.dumps([item.for_worker("w1", 0)["questions"] for item in folder.study.items])
    assert not {'good"', "poor"} & set(seen.split()), "blind"
    shown = {
        item.for_worker(sheet.worker, 0)["shown"][0]["id"]
        for item in folder.study.items
        for sheet in folder.study.sheets
    }
    assert shown == {"a", "b"}, "either may be first"
    people = crowd(folder, lambda item: {"better": next(a for a, system in item.about.items() if system == "good")}, ())
    collected(people, tmp_path / "out")
    from pipeline.keypoints.evaluate.annotation import judged_rows

    judged = {str(row["method"]): row for row in judged_rows(tmp_path / "out" / "sets")}
    assert judged["good"]["wins"] == pytest.approx(0.93, abs=0.06)


def score(item: Item) -> Answers:
    return {"overall": str(1 + sum(map(ord, item.subject)) % 4)}


@pytest.mark.slow
def test_scores(make: Make, tmp_path: Path) -> None:
    folder = make("scores", workers=10, per_item=10, options={"medium": "text"})
    people = crowd(folder, score, (), noise=0.05)
    result, figures = collected(people, tmp_path / "out")
    corpus = open_corpus(tmp_path / "out" / "corpus").without_problems()
    truth = {item.subject: int(str(score(item)["overall"])) for item in folder.study.items}
    for entry in corpus.entries:
        assert entry.speech.score == pytest.approx(truth[entry.speech.id], abs=0.5)
    (agreed,) = [row for row in figures.rows if row["method"] == "agreement" and row["of"] == "all"]
    assert agreed["krippendorff_alpha"] > 0.7
    data = str(tmp_path / "out" / "responses")
    rows = evaluation("evaluate", "content", "--data", data, "--encoder", "none")["rows"]
    assert any(row["method"] == "length" for row in rows)
    trained("grade", "--data", data, "--no-content", "--no-argument", "--out", str(tmp_path / "grade.json"))
    assert (tmp_path / "grade.json").is_file()


@pytest.mark.slow
def test_speakers(make: Make, tmp_path: Path) -> None:
    debate = write_debates(tmp_path / "debate", ["debate_week"])
    folder = make("speakers", debate, workers=9, per_item=9)
    people = crowd(folder, known, ())
    collected(people, tmp_path / "out")
    (item,) = folder.study.items
    assert len(item.about) == 7
    with (tmp_path / "out" / "speakers.csv").open() as file:
        found = {row["voice"]: (row["role"], row["side"]) for row in csv.DictReader(file)}
    with (SAMPLES / "speakers.csv").open() as file:
        given = {
            row["name"]: (row["role"], row["side"] if row["role"] == "debater" else "") for row in csv.DictReader(file)
        }
    assert {voice.lower(): who for voice, who in found.items()} == {name.lower(): who for name, who in given.items()}
    (entry,) = open_corpus(tmp_path / "out" / "corpus").without_problems().entries
    assert entry.audio
    assert entry.audio.read_bytes() == (SAMPLES / "debate_week.ogg").read_bytes()
    assert entry.turns
    assert {turn.speaker for turn in read_turns(entry.turns)} == found.keys()
    assert {one.voice: one.role for one in entry.speakers} == {voice: role for voice, (role, _) in found.items()}


def test_a_folder_of_results_is_never_written_over(make: Make, arguments: Path, tmp_path: Path) -> None:
    folder, out = make("pairs", arguments), tmp_path / "out"
    people = crowd(folder, better, ())
    result, evaluated = collected(people, out)
    again = write_collected(result, out)
    assert again == evaluated
    (out / "labels.csv").write_text("mine\n")
    with pytest.raises(RostrumError, match="changed"):
        write_collected(result, out)
    assert (out / "labels.csv").read_text() == "mine\n"
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine\n")
    with pytest.raises(RostrumError, match="did not write"):
        write_collected(result, other)


def test_known_answers_from_a_pilot_study(make: Make, arguments: Path, tmp_path: Path) -> None:
    pilot = make("pairs", arguments)
    collected(crowd(pilot, better, (), noise=0.0), tmp_path / "out")
    (tmp_path / "main").mkdir()
    from pipeline.studies.making import Plan, make_study

    plan = Plan(workers=4, tests=2, known=tmp_path / "out" / "labels.csv", seed=5)
    main = make_study("pairs", arguments, tmp_path / "main" / "study", plan, {})
    for name in main.study.tests:
        item = main.study.by_id[name]
        assert item.known["vote"] == better(item)["vote"]


def test_names_are_exported_only_if_asked(make: Make, arguments: Path, tmp_path: Path) -> None:
    folder = make("pairs", arguments)
    links = folder.path / "links.csv"
    links.write_text(
        links.read_text()
        .replace("w1,", "w1,", 1)
        .replace(folder.tokens["w1"] + ",", folder.tokens["w1"] + ",Ada Lovelace")
    )
    crowd(folder, better, ()).answer_everything()
    run = CliRunner().invoke
    for asked in (False, True):
        out = tmp_path / f"out{asked}"
        done = run(
            main_group, ["annotate", "collect", str(folder.path), "--out", str(out), *(["--names"] if asked else [])]
        )
        assert done.exit_code == 0, done.output
        everything = "".join(file.read_text() for file in out.rglob("*.csv")) + (out / "index.html").read_text()
        assert ("Ada Lovelace" in everything) is asked
        assert folder.tokens["w1"] not in everything


@pytest.mark.parametrize(
    ("task", "arguments", "error"),
    [
        ("pairs", ["--reading", "0.5"], "no option --reading"),
        ("listening", ["--tests", "50"], "known answers are wanted"),
        ("listening", ["--workers", "2"], "workers are needed"),
        ("transcripts", [], "a run"),
        ("speakers", [], "turns of two voices"),
        ("lisening", [], "did you mean listening"),
    ],
)
def test_what_cannot_be_made_is_said_and_leaves_nothing(
    task: str, arguments: list[str], error: str, tmp_path: Path
) -> None:
    out = tmp_path / "study"
    done = CliRunner().invoke(main_group, ["annotate", "make", task, str(SAMPLES), "--out", str(out), *arguments])
    assert done.exit_code != 0
    assert error in str(done.exception) + done.output
    assert not out.exists()


SAID = "We should ban phones . They distract pupils . Nobody learns from a screen ."


def test_transcripts(make: Make, tmp_path: Path, run_of_a_talk: Path) -> None:
    """Three people correct stretches of a transcript, one of them wrongly: the text is what most of them wrote."""
    folder = make("transcripts", run_of_a_talk, workers=3, consent=False)
    items = sorted(folder.study.items, key=lambda item: item.subject)
    assert [round(item.seconds) for item in items] == [25, 17], (
        "whole sentences of at most 25 seconds, and a little more"
    )
    first, second, third = SAID.replace(" .", ".").replace(". ", ".\n").split("\n")
    truth = dict(zip([item.id for item in items], [f"{first}\n{second}", third], strict=True))
    people = crowd(folder, lambda item: {"text": truth[item.id]}, ())
    wrong = crowd(folder, lambda item: {"text": str(item.questions[0].default)}, ())
    people.people = {name: Person(noise=0.0) for name in ("w1", "w2")}
    wrong.people = {"w3": Person(noise=0.0)}
    wrong.answer_everything()
    _, figures = collected(people, tmp_path / "out")
    (corpus,) = open_corpus(tmp_path / "out" / "corpus").without_problems().entries
    assert corpus.text("reference") == SAID.replace(" .", ".")
    (differences,) = [row for row in figures.rows if row["method"] == "differences between transcribers"]
    assert differences["wer"] == pytest.approx(2 * 2 / (3 * 12), abs=0.02), "two of three pairs differ in two words"
    (row,) = evaluation("evaluate", "wer", "--data", str(tmp_path / "out" / "corpus"))["rows"]
    assert row["wer"] == pytest.approx(2 / 12)
