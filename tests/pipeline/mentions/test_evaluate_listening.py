"""The listening table on made-up data of the release's layout: contract, baselines, held-out data, and bad input."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.cli.evaluate import evaluate as command
from pipeline.corpus import open_corpus
from pipeline.corpus.datasets import LABELS
from pipeline.errors import RostrumError
from pipeline.mentions.evaluate.data import Listening, Pair, read_listening, split
from pipeline.mentions.evaluate.labels import analyse_labels, people_rows, vote_shares
from pipeline.mentions.evaluate_listening import evaluate, precision_recall
from pipeline.records import Sentence
from tests.pipeline.mentions.counting import CountingEncoder

COLUMNS = [
    "motion-id",
    "motion-text",
    "speech-id",
    "GPR-KB-id",
    "GP-claim-text",
    "GP-claim-text-for-motion",
    "explicit-count",
    "implicit-count",
    "reject-count",
    "is-claim-mentioned-in-speech",
    "label",
]
CLAIMS = {"k1": "costs too much", "k2": "harms the poor", "k3": "limits choice", "k4": "breeds crime"}
# which claims each speech makes: k1 always, k4 never
MADE = {"pro": ("k1", "k2"), "con": ("k1", "k3")}


def release(folder: Path, motions: range) -> Path:
    """Two speeches a motion; a sentence for each claim that is made, and one that tells nothing."""
    rows = []
    for motion in motions:
        for stance, made in MADE.items():
            speech = f"Ann_{motion}_topic{motion}_{stance}_opening"
            said = [f"I say that topic{motion} {CLAIMS[claim]}." for claim in made] + [f"So much for topic{motion}."]
            for kind in ("asr.txt", "trs.txt"):
                path = folder / "speeches" / kind / f"{speech}.{kind}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("\n".join(said))
            for claim, text in CLAIMS.items():
                votes = (4, 1, 2) if claim in made else (0, 1, 6)
                label = ("true", "Explicit") if claim in made else ("false", "Negative")
                title = f"topic{motion} {text}"
                rows.append([motion, f"We should ban topic{motion}", speech, claim, text, title, *votes, *label])
    claims = [[claim, f"<TOPIC> {text}", f"No: <TOPIC> is right. {claim}"] for claim, text in CLAIMS.items()]
    write(folder, "GPR-KB-55.csv", ["id", "claim", "rebuttal"], claims)
    write(folder, LABELS, COLUMNS, rows)
    return folder


def write(folder: Path, name: str, columns: list[str], rows: list[list[object]]) -> None:
    (folder / "GPR-KB-55").mkdir(parents=True, exist_ok=True)
    with (folder / "GPR-KB-55" / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("data"), range(8, 18))


@pytest.fixture
def words(tmp_path: Path) -> str:
    path = tmp_path / "vectors.txt"
    known = [f"topic{number}" for number in range(40)] + [
        "costs",
        "harms",
        "poor",
        "limits",
        "choice",
        "breeds",
        "crime",
    ]
    path.write_text("".join(f"{word} {np.sin(i):.4f} {np.cos(i):.4f}\n" for i, word in enumerate(known)))
    return str(path)


@pytest.fixture(autouse=True)
def counting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CountingEncoder:
    encoder = CountingEncoder()
    monkeypatch.setattr("pipeline.mentions.evaluate_listening.load_encoder", lambda name: encoder)
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    return encoder


def test_the_split_is_by_motion_and_never_changes() -> None:
    assert split(["2", "9", "10", "11", "12", "13"]) == (["2", "10", "12", "13"], ["9", "11"])


def test_the_table(data: Path, words: str, counting: CountingEncoder) -> None:
    evaluation = evaluate(data, encoders=("counting",), vectors=words)
    rows = {(row["method"], row["config"], row["transcript"]): row for row in evaluation.rows}
    errors = [row for row in evaluation.rows if row["config"] == "errors" and row["transcript"] == "asr.txt"]
    # 1 of 7 people heard what is not said, 5 of 7 what is: 32 pairs of four motions
    assert [(row["heard_from"], row["heard_to"], row["pairs"]) for row in errors] == [(0.1, 0.3, 16), (0.7, 0.9, 16)]
    wrong = sum(row["wrong"] * row["pairs"] for row in errors)
    assert wrong == pytest.approx(32 * (1 - rows["trained detector", "", "asr.txt"]["accuracy"]))
    for transcript in ("asr.txt", "trs.txt"):
        # half of each speech's claims are made
        for baseline, recall in (("all-yes", 1.0), ("all-no", 0.0)):
            row = rows[baseline, "", transcript]
            assert (row["accuracy"], row["recall"], row["auc"]) == (0.5, recall, 0.5)
        trained = rows["trained detector", "", transcript]
        assert trained["accuracy"] > 0.9
        assert trained["accuracy"] > rows["prior", "no listening", transcript]["accuracy"]
        assert trained["accuracy_low"] <= trained["accuracy"] <= trained["accuracy_high"]
        assert trained["ece"] is not None
        assert trained["recall_implicit"] is None
    w2v = {config for method, config, _ in rows if method == "w2v"}
    assert {"title-speech", "arg-speech", "title-sentence", "arg-sentence"} <= w2v
    assert evaluation.signature["test_motions"] == 4
    assert len(counting.embedded) == len(set(counting.embedded))


def test_labels_of_one_kind_cost_the_trained_rows_not_the_table(tmp_path: Path, words: str) -> None:
    folder = release(tmp_path / "data", range(8, 18))
    path = folder / "GPR-KB-55" / LABELS
    path.write_text(path.read_text().replace("true,Explicit", "false,Negative"))
    found = evaluate(folder, encoders=("counting",), vectors=words)
    methods = {row["method"] for row in found.rows}
    assert {"all-no", "w2v"} <= methods
    assert not methods & {"trained detector", "prior"}
    assert any("trained detectors: none" in note for note in found.notes)


def test_the_text_of_an_argument_is_never_its_rebuttal(data: Path) -> None:
    assert {pair.text for pair in read_listening(data).pairs} == {()}
    corpus = open_corpus(data)
    first = next(argument for argument in corpus.arguments if argument.motion == "8")
    assert (first.title, first.rebuttal) == ("topic8 costs too much", "No: topic8 is right. k1")


def test_a_run_s_transcripts_are_evaluated_too(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    said = Sentence(text="It costs.", start=0, end=1, first=0, last=2)

    class Run:
        def __init__(self, folder: Path) -> None:
            assert folder == Path("run")

        def sentences_of(self, speech: str) -> tuple[Sentence, ...]:
            return () if speech.startswith("Ann_17_topic17_con") and lacking else (said,)

    lacking = False
    monkeypatch.setattr("pipeline.mentions.evaluate.data.FinishedRun", Run)
    found = read_listening(data, Path("run"))
    assert set(found.transcripts) == {"asr.txt", "trs.txt", "recognised"}
    assert set(found.transcripts["recognised"].values()) == {("It costs.",)}
    lacking = True
    with pytest.raises(RostrumError, match="has no sentences of Ann_17_topic17_con_opening"):
        read_listening(data, Path("run"))


def test_a_corpus_without_references_is_evaluated_on_its_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tables = {
        "motions.csv": "id,text\n1,We should ban phones\n",
        "speeches.csv": "id,motion,stance,speaker,transcript\ns,1,pro,Ann,s.ctm\n",
        "arguments.csv": "id,motion,stance,title,text\na,1,pro,Phones distract,\n",
        "labels.csv": "speech,argument,mentioned\ns,a,1\n",
        "s.ctm": "s 1 0.0 0.3 phones 1.0\n",
    }
    for name, text in tables.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = {"recognised": {"s": ("Phones distract.",)}}
    monkeypatch.setattr("pipeline.mentions.evaluate.data._recognised", lambda run, labelled: said["recognised"])
    assert read_listening(tmp_path, tmp_path / "run").transcripts == said
    with pytest.raises(RostrumError, match="s has labels and no transcript to evaluate on"):
        read_listening(tmp_path)


def test_held_out_data_is_tested_on_and_not_learned_from(data: Path, words: str, tmp_path: Path) -> None:
    test = release(tmp_path / "test", range(30, 33))
    evaluation = evaluate(data, test, encoders=("counting",), vectors=words)
    assert evaluation.signature["training_motions"] == 10
    assert evaluation.signature["test_motions"] == 3
    assert evaluation.signature["test_pairs"] == 24
    again = evaluate(data, test, encoders=("counting",), vectors=words)
    assert evaluation == again


def test_the_command_prints_one_object(data: Path, words: str, tmp_path: Path) -> None:
    arguments = ["listening", "--data", str(data), "--encoder", "counting", "--vectors", words]
    result = CliRunner().invoke(command, [*arguments, "--figures", str(tmp_path / "figures"), "--json"])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["name"] == "listening"
    assert {"method", "transcript", "accuracy", "accuracy_low", "accuracy_high", "f1"} <= printed["rows"][0].keys()
    assert {Path(path).name for path in printed["figures"]} == {
        f"{name}.{kind}" for name in ("precision-recall", "reliability", "votes") for kind in ("png", "svg")
    }
    assert all(Path(path).stat().st_size for path in printed["figures"])


def test_the_labels_command(data: Path) -> None:
    result = CliRunner().invoke(command, ["listening", "--data", str(data), "--labels", "--json"])
    assert result.exit_code == 0, result.output
    statistics = {row["statistic"]: row["value"] for row in json.loads(result.stdout)["rows"]}
    assert statistics["positive_share"] == 0.5
    refused = CliRunner().invoke(command, ["listening", "--data", str(data), "--votes", __file__])
    assert refused.exit_code == 2


def test_precision_and_recall_at_every_threshold() -> None:
    recall, precision = precision_recall(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, False, True, False]))
    np.testing.assert_allclose(recall, [0.5, 1, 1])
    np.testing.assert_allclose(precision, [1, 2 / 3, 0.5])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"speech-id": "Bob_9_x_pro_opening"}, "there is no speech 'Bob_9_x_pro_opening'"),
        ({"GP-claim-text-for-motion": "  "}, "the claim k1 has no text"),
        ({"explicit-count": "many"}, "its counts are not whole numbers"),
        ({"GPR-KB-id": "k99"}, "there is no claim 'k99'"),
        ({"GPR-KB-id": "k2"}, "k2 has a label for .* already"),
    ],
)
def test_what_is_wrong_with_the_labels_is_said_in_one_line(
    tmp_path: Path, change: dict[str, str], complaint: str
) -> None:
    folder = release(tmp_path, range(1, 3))
    with (folder / "GPR-KB-55" / LABELS).open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows.insert(1, rows[0] | change) if "GPR-KB-id" in change else rows[0].update(change)
    write(folder, LABELS, COLUMNS, [[row[column] for column in COLUMNS] for row in rows])
    with pytest.raises(RostrumError, match=complaint) as raised:
        read_listening(folder)
    assert f"{LABELS}:" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="has no labels of mentions"):
        read_listening(tmp_path)


def test_one_motion_cannot_be_split(tmp_path: Path, words: str) -> None:
    with pytest.raises(RostrumError, match="has labels on 1 motion, and 3 are needed"):
        evaluate(release(tmp_path / "one", range(1, 2)), encoders=("counting",), vectors=words)


def test_label_statistics_by_hand(data: Path, tmp_path: Path) -> None:
    rows = analyse_labels(read_listening(data)).rows
    statistics = {
        str(row["statistic"]): row["value"] for row in rows if row["statistic"] not in ("bias", "votes_yes_share")
    }
    assert statistics["speeches_with_a_positive"] == 1.0
    assert statistics["positives_per_speech"] == 2.0
    assert statistics["arguments_per_speech"] == 4.0
    # five yes and two no, or one yes and six no: 6 of 7 is certain, 5 of 7 is not
    assert statistics["high_confidence_share"] == 0.5
    # with either yes of 5 to 2 most of the others agree, with neither no; of 1 to 6 it is the other way round
    assert statistics["annotator_accuracy"] == pytest.approx((5 / 7 + 6 / 7) / 2)
    observed = (11 / 21 + 15 / 21) / 2
    expected = (3 / 7) ** 2 + (4 / 7) ** 2
    assert statistics["fleiss_kappa"] == pytest.approx((observed - expected) / (1 - expected))
    assert statistics["mean_pairwise_cohen_kappa"] is None
    shares = {row["at"]: row["value"] for row in rows if row["statistic"] == "votes_yes_share"}
    assert shares == {0.7: 0.5, 0.1: 0.5}
    assert sorted(set(vote_shares(read_listening(data)))) == [pytest.approx(1 / 7), pytest.approx(5 / 7)]


def test_biases_are_correlations_with_the_title(data: Path) -> None:
    rows = [row for row in analyse_labels(read_listening(data)).rows if row["statistic"] == "bias"]
    biases = {row["of"]: row["value"] for row in rows}
    # 'costs' is in a quarter of the titles, all of them mentioned: phi = (.25 * .5) / sqrt(.25 * .75 * .25)
    assert biases["word: costs"] == pytest.approx(0.125 / np.sqrt(0.25 * 0.75 * 0.25))
    assert biases["word: crime"] == pytest.approx(-biases["word: costs"])
    assert biases["negation"] is None
    # a stop word is no title's own
    assert "word: the" not in biases


def test_the_word_with_the_highest_correlation_and_lengths_have_rows_of_their_own(data: Path) -> None:
    found = analyse_labels(read_listening(data)).rows
    (highest,) = [row for row in found if row["statistic"] == "highest_word_correlation"]
    words = {row["of"]: abs(row["value"]) for row in found if str(row.get("of")).startswith("word:") and row["value"]}
    assert words[highest["of"]] == max(words.values())
    titles = {pair.title for pair in read_listening(data).pairs}
    lengths = {row["statistic"]: row["value"] for row in found if row.get("of") == "title"}
    assert lengths["words_at_most"] == max(len(title.split()) for title in titles)
    assert lengths["words_on_average"] == pytest.approx(np.mean([len(title.split()) for title in titles]))
    # no text in these data, so that no length of one
    assert not [row for row in found if row.get("of") == "text"]


def test_annotators_and_readers(data: Path, tmp_path: Path) -> None:
    listening = read_listening(data)
    some = listening.pairs[:8]
    votes, reading = tmp_path / "votes.csv", tmp_path / "reading.csv"
    lines = [f"{pair.speech},{pair.argument},{who},{int(pair.mentioned)}" for pair in some for who in ("ann", "bob")]
    votes.write_text("speech,argument,annotator,mentioned\n" + "\n".join(lines))
    lines = [f"{pair.speech},{pair.argument},{int(pair.mentioned != (i == 0))}" for i, pair in enumerate(some)]
    reading.write_text("speech,argument,mentioned\n" + "\n".join(lines))
    rows = {(row["statistic"], row.get("of")): row["value"] for row in analyse_labels(listening, votes, reading).rows}
    assert rows["mean_pairwise_cohen_kappa", None] == 1.0
    sides = {pair.stance for pair in some}
    assert {side for side in ("pro", "con") if rows["mean_pairwise_cohen_kappa", side] is not None} == sides
    assert rows["mace_is_the_label", None] == 1.0
    assert rows["listening_reading_agreement", None] == 7 / 8
    assert ("fleiss_kappa", "readers") not in rows
    # k1 is heard by both, the rest by neither: 4 arguments of each side, and one or two of them heard at all
    assert rows["arguments_ever_heard", None] == 0.5
    reading.write_text("speech,argument\nx,y\n")
    with pytest.raises(RostrumError, match="no column 'mentioned'"):
        analyse_labels(listening, None, reading)


def test_readers_agree_with_one_another_or_do_not(data: Path, tmp_path: Path) -> None:
    listening = read_listening(data)
    reading = tmp_path / "reading.csv"
    # three readers; on every second pair one of them says the opposite
    lines = [
        f"{pair.speech},{pair.argument},r{who},{int(pair.mentioned != (who == 0 and i % 2 == 0))}"
        for i, pair in enumerate(listening.pairs[:8])
        for who in range(3)
    ]
    reading.write_text("speech,argument,annotator,mentioned\n" + "\n".join(lines))
    rows = {(row["statistic"], row.get("of")): row["value"] for row in analyse_labels(listening, None, reading).rows}
    assert rows["listening_reading_agreement", None] == 1.0
    # observed: (4 * 1 + 4 * 1/3) / 8; 10 of the 24 votes are yes
    expected = (10 / 24) ** 2 + (14 / 24) ** 2
    assert rows["fleiss_kappa", "readers"] == pytest.approx((2 / 3 - expected) / (1 - expected))
    assert rows["mean_pairwise_cohen_kappa", "readers"] == pytest.approx((0 + 0 + 1) / 3)


def test_kappa_by_stance(data: Path) -> None:
    rows = {
        row.get("of"): row["value"]
        for row in analyse_labels(read_listening(data)).rows
        if row["statistic"] == "fleiss_kappa"
    }
    assert rows.keys() == {None, "pro", "con"}
    assert rows["pro"] == pytest.approx(rows["con"])


def test_a_corpus_with_labels_is_read_by_its_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROSTRUM_MODELS")
    samples = Path(__file__).parents[4] / "audio_samples"
    try:
        data = read_listening(samples)
    except RostrumError as error:
        pytest.skip(str(error))  # Punkt's tables are needed for the arguments' texts
    assert len(data.pairs) == 70
    assert data.motions == ["schools", "transport"]
    assert list(data.transcripts) == ["reference"]
    assert len(data.pairs[0].text) > 2


def test_people_stand_beside_the_methods() -> None:
    """By hand: of 2 yes and 1 no, a yes meets a tie and a no is alone, 1/3; of 3 yes all are right, of 1 and 1 none."""

    def pair(speech: str, argument: str, yes: int, no: int) -> Pair:
        return Pair("m", "We should.", "pro", speech, argument, argument, (), yes > no, votes_yes=yes, votes_no=no)

    pairs = (pair("one", "a", 2, 1), pair("one", "b", 3, 0), pair("two", "a", 1, 1), pair("two", "b", 1, 0))
    (row,) = people_rows(Listening(pairs, {}))
    assert row["accuracy"] == pytest.approx(((1 / 3 + 1) / 2 + 0) / 2)
    assert row["pairs"] == 3, "one vote has nobody to compare with"
    assert people_rows(Listening(pairs[-1:], {})) == []
