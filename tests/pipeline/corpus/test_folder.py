import os
from pathlib import Path

import pytest

from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.errors import RostrumError
from pipeline.records import Argument, Label, Motion, SpeakerCount, Speech
from pipeline.run.index import Shard
from pipeline.speakers import GivenSpeakers
from tests.sounds import SAMPLES

SPEECHES = "id,file,motion,stance,speaker,answers,response,reference,transcript,turns\n"


def make(folder: Path, *names: str, **texts: str) -> Path:
    """A folder with these files, empty, and these manifests."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def ids(corpus: Corpus) -> list[str]:
    return [entry.speech.id for entry in corpus.entries]


def problems(corpus: Corpus) -> list[str]:
    found = [str(problem) for problem in corpus.problems]
    assert not any("\n" in problem for problem in found)
    return found


def test_a_folder_of_audio(tmp_path: Path) -> None:
    corpus = open_corpus(make(tmp_path, "b.wav", "a/c.MP3", "a/c.txt", "b.trs", "b.rttm", "notes.txt", ".hidden.wav"))
    assert ids(corpus) == ["a/c", "b"]
    first, second = corpus.entries
    assert first.reference == tmp_path / "a/c.txt"
    assert (second.reference, second.turns) == (tmp_path / "b.trs", tmp_path / "b.rttm")
    assert not corpus.problems


def test_a_folder_without_audio_has_its_texts_as_speeches(tmp_path: Path) -> None:
    corpus = open_corpus(make(tmp_path, "b.txt", "a/c.docx", "b.docx", "notes.md"))
    assert ids(corpus) == ["a/c", "b"]
    assert [(entry.audio, entry.reference) for entry in corpus.entries][0] == (None, tmp_path / "a/c.docx")
    assert problems(corpus) == ["b.txt: has the same id 'b' as b.docx; rename one of them"]


@pytest.mark.parametrize("suffix", sorted(AUDIO_SUFFIXES))
def test_every_kind_of_audio(tmp_path: Path, suffix: str) -> None:
    assert ids(open_corpus(make(tmp_path, f"speech{suffix}"))) == ["speech"]


@pytest.mark.parametrize(
    "name", ["two words", "日本語", "emoji 🎤", "new\nline", "per%cent", "semi;colon", "-dash", "a.b"]
)
def test_any_name(tmp_path: Path, name: str) -> None:
    corpus = open_corpus(make(tmp_path, f"{name}.wav"))
    assert ids(corpus) == [name]
    assert not corpus.problems


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    make(tmp_path, "good.wav")
    with open(os.fsencode(tmp_path) + b"/caf\xe9.wav", "wb"):
        pass
    corpus = open_corpus(tmp_path)
    assert ids(corpus) == ["good"]
    assert problems(corpus) == ["caf\\udce9.wav: its name is not UTF-8; rename it"]


def test_two_files_of_one_stem(tmp_path: Path) -> None:
    corpus = open_corpus(make(tmp_path, "a.flac", "a.wav", "b.wav"))
    assert ids(corpus) == ["a", "b"]
    assert problems(corpus) == ["a.wav: has the same id 'a' as a.flac; rename one of them"]


def test_links(tmp_path: Path) -> None:
    folder = make(tmp_path / "corpus", "good.wav", "inside/a.wav")
    make(tmp_path, "outside/secret.wav", "outside/secret.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "inside" / "up").symlink_to("..")
    (folder / "circle.wav").symlink_to("circle.wav")
    (folder / "dangling.wav").symlink_to("nowhere.wav")
    (folder / "out.wav").symlink_to("../outside/secret.wav")
    (folder / "out").symlink_to("../outside")
    (folder / "again.wav").symlink_to("good.wav")
    (folder / "good.txt").symlink_to("../outside/secret.txt")
    corpus = open_corpus(folder)
    assert ids(corpus) == ["again", "good", "inside/a"]
    assert [entry.reference for entry in corpus.entries] == [None, None, None], "references stay inside, too"
    told = "a link that leads out of the folder or in a circle; put the file itself there"
    links = ("circle.wav", "dangling.wav", "good.txt", "out", "out.wav")
    assert problems(corpus) == [f"{name}: {told}" for name in links]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    folder = make(tmp_path, "good.wav", "closed/a.wav")
    (folder / "closed").chmod(0)
    try:
        corpus = open_corpus(folder)
    finally:
        (folder / "closed").chmod(0o700)
    assert ids(corpus) == ["good"]
    assert problems(corpus) == ["closed: cannot be read: Permission denied"]


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="no such file or folder"):
        open_corpus(tmp_path / "missing")
    with pytest.raises(RostrumError, match="only `rostrum transcribe -` reads stdin"):
        open_corpus(Path("-"))


def test_manifests(tmp_path: Path) -> None:
    folder = make(
        tmp_path,
        "a.wav",
        "b.wav",
        "words.txt",
        motions="id,text\nm,We should\n",
        speeches=SPEECHES
        + "1,a.wav,m,pro,Ann,,,words.txt,,\n"
        + "2,b.wav,m,con,Bob; Cy,1,explicit,,,\n"
        + "3,,m,con,,,,,words.txt,\n",
        arguments="id,motion,stance,title,text,counter\nx,m,pro,Title,Text,y\ny,m,con,Other,,\n",
        labels="speech,argument,mentioned,how,votes_yes,votes_no\n1,x,1,explicit,3,0\n2,y,0,,,\n",
    )
    corpus = open_corpus(folder)
    assert problems(corpus) == []
    assert corpus.motions == {"m": Motion(id="m", text="We should")}
    assert [entry.speech for entry in corpus.entries] == [
        Speech(id="1", motion="m", stance="pro", speakers=("Ann",)),
        Speech(id="2", motion="m", stance="con", speakers=("Bob", "Cy"), answers="1", response="explicit"),
        Speech(id="3", motion="m", stance="con"),
    ]
    assert corpus.entries[0].reference == folder / "words.txt"
    assert corpus.entries[2].audio is None
    assert corpus.arguments[0] == Argument(id="x", motion="m", stance="pro", title="Title", text="Text", counter="y")
    assert corpus.labels[0] == Label(speech="1", argument="x", mentioned=True, how="explicit", votes_yes=3, votes_no=0)
    assert [entry.speech.id for entry in corpus.speeches_on("m")] == ["1", "2", "3"]
    found = corpus.arguments_on("m")
    assert found is not None
    assert len(found.items) == 2
    assert corpus.arguments_on("other") is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2,../../etc/passwd,,,,,,,,", "speeches.csv:3:file: ../../etc/passwd is outside of the folder"),
        ("2,/etc/passwd,,,,,,,,", "speeches.csv:3:file: /etc/passwd is outside of the folder"),
        ("2,good.wav,,,,,,../x.txt,,", "speeches.csv:3:reference: ../x.txt is outside of the folder"),
        ("2,out.wav,,,,,,,,", "speeches.csv:3:file: out.wav is outside of the folder"),
        ("2,circle.wav,,,,,,,,", "speeches.csv:3:file: circle.wav is outside of the folder"),
        ("2,\0.wav,,,,,,,,", "speeches.csv:3:file: \0.wav is outside of the folder"),
        ("2,missing.wav,,,,,,,,", "speeches.csv:3:file: there is no file missing.wav"),
        (f"2,{'x' * 300}.wav,,,,,,,,", f"speeches.csv:3:file: there is no file {'x' * 300}.wav"),
        ("2,.,,,,,,,,", "speeches.csv:3:file: there is no file ."),
        ("1,good.wav,,,,,,,,", "speeches.csv:3:id: the id '1' is also in line 2; change one of them"),
        ("2,good.wav,m,,,,,,,", "speeches.csv:3:motion: there is no 'm'; correct it, or add a row with this id"),
        ("2,good.wav,,both,,,,,,", "speeches.csv:3:stance: must be pro or con, not 'both'"),
        ("2,good.wav,,,,9,,,,", "speeches.csv:3:answers: there is no '9'; correct it, or add a row with this id"),
        ("2,good.wav,,,,,,,,,,,", "speeches.csv:3: 13 cells where the header has 10"),
        (",good.wav,,,,,,,,", "speeches.csv:3:id: must not be empty"),
    ],
)
def test_a_wrong_row_does_not_stop_the_others(tmp_path: Path, row: str, message: str) -> None:
    folder = make(tmp_path / "corpus", "good.wav", speeches=f"{SPEECHES}1,good.wav,,,,,,,,\n{row}\n")
    (folder / "out.wav").symlink_to("/etc/passwd")
    (folder / "circle.wav").symlink_to("circle.wav")
    corpus = open_corpus(folder)
    assert ids(corpus) == ["1"]
    assert [str(problem) for problem in corpus.problems] == [message]


def test_arguments_and_labels_of_what_is_not_there(tmp_path: Path) -> None:
    corpus = open_corpus(
        make(
            tmp_path,
            "a.wav",
            motions="id,text\nm,We should\n",
            arguments="id,motion,stance,title\nx,m,pro,T\ny,n,pro,T\nx,m,con,U\n",
            labels="speech,argument,mentioned\na,x,1\na,z,1\nb,x,0\n",
        )
    )
    assert problems(corpus) == [
        "arguments.csv:4:id: the id 'x' is also in line 2; change one of them",
        "arguments.csv:3:motion: there is no 'n'; correct it, or add a row with this id",
        "labels.csv:3:argument: there is no 'z'; correct it, or add a row with this id",
        "labels.csv:4:speech: there is no 'b'; correct it, or add a row with this id",
    ]
    assert [label.speech for label in corpus.labels] == ["a"]


def test_a_mistyped_id_is_met_with_the_nearest(tmp_path: Path) -> None:
    corpus = open_corpus(
        make(
            tmp_path,
            "a.wav",
            motions="id,text\nphones,We should\n",
            arguments="id,motion,stance,title\nx,phone,pro,T\n",
        )
    )
    assert problems(corpus) == ["arguments.csv:2:motion: there is no 'phone'; did you mean phones?"]


def test_the_samples_are_a_corpus_without_problems() -> None:
    corpus = open_corpus(SAMPLES)
    assert not corpus.problems
    assert len(corpus.motions) == 3
    assert all(entry.audio and entry.reference for entry in corpus.entries)


def test_people_of_a_recording(tmp_path: Path) -> None:
    speeches = SPEECHES + "debate,debate.wav,zoos,,,,,,,\n"
    people = (
        "recording,voice,name,role,side,motion,from,to,answers,response\n"
        "debate,,Ann,debater,pro,,3.5,60,,\n"
        "debate,SPEAKER_01,Bob,debater,con,,,,Ann;Cid,explicit\n"
    )
    folder = make(tmp_path, "debate.wav", motions="id,text\nzoos,Close zoos.\n", speeches=speeches, speakers=people)
    (entry,) = open_corpus(folder).entries
    ann, bob = entry.speakers
    assert (ann.voice, ann.name, ann.side, ann.start, ann.end) == (None, "Ann", "pro", 3.5, 60.0)
    assert (bob.voice, bob.answers, bob.response, bob.start) == ("SPEAKER_01", ("Ann", "Cid"), "explicit", None)
    corpus = open_corpus(folder)
    assert corpus.given(GivenSpeakers, entry) == GivenSpeakers(items=(ann, bob))


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ("debate,,Ann,3.5\ndebate,,Bob,\ndebate,,Ann,9\n", 2),
        ("debate,,Ann,3.5\n", None),  # others may speak before and after her
        ("debate,S1,Ann,\ndebate,S3,Bob,\n", None),  # there is an S2, whom nobody has named
    ],
)
def test_how_many_people_speak(tmp_path: Path, rows: str, count: int | None) -> None:
    speakers = f"recording,voice,name,from\n{rows}"
    corpus = open_corpus(make(tmp_path, "debate.wav", speakers=speakers))
    given = corpus.given(SpeakerCount, corpus.entries[0])
    assert (given.count if given else None) == count


def test_wrong_rows_of_people_are_problems(tmp_path: Path) -> None:
    people = "recording,voice,name,role,side,from\nnobody,,Ann,,,\nb,,,debater,,\nb,,Ann,judge,,\nb,,Ann,,,-1\n"
    folder = make(tmp_path, "b.wav", speakers=people)
    assert problems(open_corpus(folder)) == [
        "speakers.csv:4:role: must be debater or moderator or questioner or audience, not 'judge'",
        "speakers.csv:5:from: must not be negative, as '-1' is",
        "speakers.csv:2:recording: there is no 'nobody'; correct it, or add a row with this id",
        "speakers.csv:3: the row names nobody; fill in voice, name or from",
    ]


def test_labels_may_be_of_one_person_in_a_recording(tmp_path: Path) -> None:
    folder = make(
        tmp_path,
        "debate.wav",
        motions="id,text\nzoos,Close zoos.\n",
        speeches=SPEECHES + "debate,debate.wav,zoos,,,,,,,\n",
        arguments="id,motion,stance,title\ncages,zoos,pro,Cages harm.\n",
        labels="speech,argument,mentioned\ndebate/ann,cages,1\nother/ann,cages,1\n",
    )
    corpus = open_corpus(folder)
    assert [label.speech for label in corpus.labels] == ["debate/ann"]
    assert problems(corpus) == ["labels.csv:3:speech: there is no 'other/ann'; correct it, or add a row with this id"]


def test_votes_of_an_audience(tmp_path: Path) -> None:
    folder = make(
        tmp_path,
        "a.wav",
        motions="id,text\nm,We should\n",
        votes="motion,for_before,against_before,for_after,against_after\nm,30,40.5,55,35\nn,1,2,3,4\nm,101,2,3,4\n",
    )
    corpus = open_corpus(folder)
    assert [(cast.motion, cast.for_before, cast.against_before, cast.gain) for cast in corpus.votes] == [
        ("m", 30, 40.5, 30.5)
    ]
    assert problems(corpus) == [
        "votes.csv:4:for_before: must be from 0 to 100, not '101'",
        "votes.csv:3:motion: there is no 'n'; correct it, or add a row with this id",
    ]


def test_a_recording_on_several_motions_is_there_for_each_of_them(tmp_path: Path) -> None:
    manifests = {
        "motions": "id,text\nzoos,Close zoos.\ncars,Ban cars.\n",
        "speeches": f"{SPEECHES}debate,debate.wav,zoos,,,,,,,\n",
        "speakers": "recording,voice,name,role,side,motion,from,to\n"
        "debate,V1,Ann,debater,pro,zoos,0,60\ndebate,V1,Ann,debater,con,cars,60,90\ndebate,V2,Bob,moderator,,,,\n",
        "arguments": "id,motion,stance,title\nloud,cars,con,Cars are loud.\n",
        "labels": "speech,argument,mentioned\ndebate-cars/ann,loud,1\n",
    }
    corpus = open_corpus(make(tmp_path, "debate.wav", **manifests))
    assert not corpus.problems
    assert [(one.speech.id, one.speech.motion, one.audio) for one in corpus.entries] == [
        ("debate", "zoos", tmp_path / "debate.wav"),
        ("debate-cars", "cars", tmp_path / "debate.wav"),
    ]
    assert [label.speech for label in corpus.labels] == ["debate-cars/ann"]
    again = make(tmp_path, "other.wav", speeches=manifests["speeches"] + "debate-cars,other.wav,cars,,,,,,,\n")
    assert problems(open_corpus(again)) == [
        "speakers.csv: debate also has a part on cars, which would be called 'debate-cars'; rename one of them"
    ]


def test_every_part_of_a_corpus_knows_a_recording_on_several_motions(tmp_path: Path) -> None:
    folder = make(
        tmp_path,
        "a.wav",
        "b.wav",
        motions="id,text\nm,We should\nn,We should not\n",
        speeches="id,file,motion\na,a.wav,m\nb,b.wav,n\n",
        speakers="recording,name,motion,from,to\na,Ann,m,0,5\na,Ann,n,5,9\n",
    )
    parts = [open_corpus(folder, Shard(number, 3)) for number in (1, 2, 3)]
    assert sorted(id for part in parts for id in ids(part)) == ids(open_corpus(folder)) == ["a", "a-n", "b"]
    for part in parts:
        on_n = {entry.speech.id for entry in part.speeches_on("n")}
        assert on_n in ({"a-n", "b"}, set()), "who has one of them knows the other"
        assert list(part.ids) == ["a", "a-n", "b"]
