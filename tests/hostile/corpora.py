"""Corpora that somebody made to do harm, or that bad luck made: each is written by code, into an empty folder.

Each function makes one kind of trouble around the good speech `good.wav`, and returns what must be said of it.
"""

import os
import struct
from collections.abc import Callable
from pathlib import Path

from pipeline.corpus.corrections import save_correction
from pipeline.records import Correction, Word
from tests.sounds import sine, write, write_speech

# Makes the trouble in a folder, and returns a pattern of the line that tells of it; None where all is well.
Kind = Callable[[Path], str | None]
KINDS: list[Kind] = []


def kind(make: Kind) -> Kind:
    KINDS.append(make)
    return make


def table(path: Path, *rows: str) -> None:
    path.write_text("".join(f"{row}\n" for row in rows))


def wave(path: Path, *, channels: int = 1, rate: int = 16_000, claimed: int, samples: bytes) -> None:
    """A WAV file by hand, whose header claims so many bytes of samples."""
    frame = 2 * channels
    shape = struct.pack("<HHIIHH", 1, channels, rate, rate * frame & 0xFFFFFFFF, frame & 0xFFFF, 16)
    chunks = b"fmt " + struct.pack("<I", len(shape)) + shape + b"data" + struct.pack("<I", claimed) + samples
    path.write_bytes(b"RIFF" + struct.pack("<I", min(0xFFFFFFFF, claimed + 36)) + b"WAVE" + chunks)


@kind
def fifo_for_a_manifest(folder: Path) -> str:
    os.mkfifo(folder / "speeches.csv")
    return r"speeches.csv: .*not a file"


@kind
def fifo_for_a_recording(folder: Path) -> str | None:
    os.mkfifo(folder / "endless.wav")
    return None


@kind
def fifo_for_a_reference(folder: Path) -> str | None:
    os.mkfifo(folder / "good.txt")
    return None


@kind
def fifo_that_a_manifest_names(folder: Path) -> str:
    os.mkfifo(folder / "endless.wav")
    table(folder / "speeches.csv", "id,file", "one,good.wav", "two,endless.wav")
    return r"speeches.csv:3:file: .*endless.wav"


@kind
def link_to_an_endless_device(folder: Path) -> str:
    (folder / "endless.wav").symlink_to("/dev/zero")
    return r"endless.wav: a link that leads out of the folder"


@kind
def manifest_that_is_a_link_out(folder: Path) -> str:
    table(folder.parent / "elsewhere.csv", "id,file", "secret,good.wav")
    (folder / "speeches.csv").symlink_to(folder.parent / "elsewhere.csv")
    return r"speeches.csv: .*leads out"


@kind
def manifest_that_is_an_endless_device(folder: Path) -> str:
    (folder / "motions.csv").symlink_to("/dev/zero")
    return r"motions.csv: .*leads out"


@kind
def folder_that_contains_itself(folder: Path) -> str:
    (folder / "loop").symlink_to(folder)
    (folder / "circle.wav").symlink_to(folder / "circle.wav")
    return r"circle.wav: a link"


@kind
def folder_with_the_name_of_a_recording(folder: Path) -> str | None:
    (folder / "speech.wav").mkdir()
    return None


@kind
def path_out_of_the_folder(folder: Path) -> str:
    write_speech(folder.parent / "outside.wav")
    table(folder / "speeches.csv", "id,file", "good,good.wav", "out,../outside.wav", "root,/etc/passwd")
    return r"speeches.csv:3:file: "


@kind
def ids_that_are_paths(folder: Path) -> str:
    write_speech(folder / "b.wav")
    table(folder / "speeches.csv", "id,file", "..,good.wav", "../../up,b.wav")
    return r"speeches.csv:2:id: "


@kind
def ids_that_some_file_systems_take_for_one(folder: Path) -> str | None:
    write_speech(folder / "b.wav", start=1.0)
    table(folder / "speeches.csv", "id,file", "anna,good.wav", "Anna,b.wav")
    return None


@kind
def id_of_control_characters(folder: Path) -> str:
    table(folder / "speeches.csv", "id,file", "\x1b[2Jgone,good.wav", "x,missing.wav")
    return r"speeches.csv"


@kind
def name_of_control_characters(folder: Path) -> str:
    (folder / "\x1b]0;title\x07.wav").write_bytes(b"not audio")
    return r"not audio|cannot be decoded"


@kind
def very_long_id(folder: Path) -> str:
    table(folder / "speeches.csv", "id,file", f"{'long' * 2000},good.wav")
    return r"speeches.csv:2:id: an id has at most"


@kind
def very_long_cell(folder: Path) -> str:
    table(folder / "motions.csv", "id,text", f"zoos,{'long ' * 100_000}")
    table(folder / "speeches.csv", "id,file,motion", "good,good.wav,zoos")
    return r"motions.csv:2: not valid CSV"


@kind
def manifest_with_nuls(folder: Path) -> str:
    (folder / "speeches.csv").write_bytes(b"id,file\ngo\0od,good.wav\n")
    return r"speeches.csv:2:id: an id has no NUL characters"


@kind
def manifest_that_is_no_text(folder: Path) -> str:
    (folder / "speeches.csv").write_bytes(bytes(range(256)) * 40)
    return r"speeches.csv"


@kind
def quote_that_never_ends(folder: Path) -> str:
    (folder / "speeches.csv").write_text('id,file\n"good,good.wav\n' + "x,y\n" * 1000)
    return r"speeches.csv"


@kind
def speech_that_answers_itself(folder: Path) -> str:
    table(folder / "speeches.csv", "id,file,answers", "good,good.wav,good")
    return r"speeches.csv:2:answers: "


@kind
def speeches_that_answer_in_a_circle(folder: Path) -> str:
    write_speech(folder / "b.wav")
    table(folder / "speeches.csv", "id,file,answers", "a,good.wav,b", "b,b.wav,a")
    return r"speeches.csv:\d:answers: "


@kind
def reference_in_utf_16(folder: Path) -> str | None:
    (folder / "good.txt").write_text("we should ban zoos", "utf-16")
    return None


@kind
def reference_in_utf_16_without_a_mark(folder: Path) -> str:
    (folder / "good.txt").write_text("we should ban zoos", "utf-16-le")
    return r"good.txt:1: not text"


@kind
def reference_with_nuls(folder: Path) -> str:
    (folder / "good.txt").write_bytes(b"we should\0ban zoos")
    return r"good.txt:1: not text"


@kind
def reference_out_of_all_proportion(folder: Path) -> str:
    (folder / "good.txt").write_text("we should ban zoos " * 500_000)
    return r"good.txt: "


@kind
def transcript_of_enormous_times(folder: Path) -> str:
    (folder / "good.ctm").write_text("good 1 1e308 1e308 hello 1.0\n")
    table(folder / "speeches.csv", "id,file,transcript", "good,,good.ctm")
    return r"good.ctm"


@kind
def turns_beyond_the_end(folder: Path) -> str:
    (folder / "good.rttm").write_text("SPEAKER good 1 0.0 900.0 <NA> <NA> ann <NA> <NA>\n")
    table(folder / "speeches.csv", "id,file,turns", "good,good.wav,good.rttm")
    return r"good.rttm: "


@kind
def expanding_entities(folder: Path) -> str:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    defined = f'<!DOCTYPE Trans [<!ENTITY e0 "x">{entities}]>'
    (folder / "good.trs").write_text(f'<?xml version="1.0"?>{defined}<Trans>&e12;</Trans>')
    return r"good.trs: "


@kind
def empty_recording(folder: Path) -> str:
    (folder / "empty.wav").touch()
    return r"empty.wav: is empty"


@kind
def truncated_recording(folder: Path) -> str:
    content = write(folder / "cut.wav", sine(10.0)).read_bytes()
    (folder / "cut.wav").write_bytes(content[: len(content) // 2])
    return r"cut.wav: ends after 5.0 s; 5.0 s are missing"


@kind
def recording_that_claims_a_hundred_hours(folder: Path) -> str:
    wave(folder / "long.wav", claimed=0x70000000, samples=bytes(32_000))
    return r"long.wav: ends after 1.0 s; 58719.\d s are missing"


@kind
def recording_of_a_thousand_channels(folder: Path) -> str | None:
    wave(folder / "wide.wav", channels=1024, rate=768_000, claimed=2048 * 2000, samples=bytes(2048 * 2000))
    return None


@kind
def recording_of_sixty_thousand_channels(folder: Path) -> str:
    wave(folder / "wide.wav", channels=32_767, rate=192_000, claimed=65_534, samples=bytes(65_534))
    return r"wide.wav: "


@kind
def recording_of_one_sample_per_second(folder: Path) -> str:
    """Its ratio to the rate of stages is near zero."""
    flac = bytearray(write(folder / "slow.flac", sine(1.0), 16_000).read_bytes())
    flac[18:21] = (1 << 4 | flac[20] & 0x0F).to_bytes(3, "big")  # the rate: 20 bits of the first block
    (folder / "slow.flac").write_bytes(flac)
    return r"slow\.flac: claims 1 samples per second, which are too few for speech"


@kind
def recording_of_eight_hertz(folder: Path) -> str:
    """An hour of it would be resampled by a factor of 2,000."""
    wave(folder / "slow.wav", rate=8, claimed=8 * 2 * 3600, samples=bytes(8 * 2 * 3600))
    return r"slow\.wav: claims 8 samples per second, which are too few for speech"


@kind
def words_of_control_characters(folder: Path) -> None:
    """They are read without what would move a terminal's cursor or turn text around."""
    (folder / "good.ctm").write_text("good 1 0.1 0.3 \x1b[2Jwe 0.9\ngood 1 0.5 0.3 \u202eshould 0.8\n")
    (folder / "good.rttm").write_text("SPEAKER good 1 0.0 1.5 <NA> <NA> \x1bann\u2066 <NA> <NA>\n")
    (folder / "good.txt").write_text("we \x1b[2Jshould\n")


@kind
def samples_that_are_no_numbers(folder: Path) -> str:
    samples = sine(1.0)
    samples[100:200] = float("nan")
    write(folder / "nan.wav", samples, subtype="FLOAT")
    return r"nan.wav: holds samples that are no numbers"


@kind
def playlist_that_opens_another_file(folder: Path) -> str:
    (folder / "list.mp3").write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    return r"list.mp3: "


@kind
def text_for_a_recording(folder: Path) -> str:
    (folder / "text.mp3").write_text("this is no audio " * 1000)
    return r"text.mp3: "


@kind
def links_in_titles(folder: Path) -> str | None:
    text = "[ban](javascript:alert(1)) ![i](http://attacker.example/x.png) <script>"
    table(folder / "motions.csv", "id,text", f"zoos,{text}")
    table(folder / "speeches.csv", "id,file,motion,speaker", "good,good.wav,zoos,<img src=x onerror=alert(1)>")
    return None


@kind
def correction_that_is_read_elsewhere(folder: Path) -> str:
    correction = Correction(
        speech="good", words=(Word(text="new", start=0.0, end=1.0, probability=1.0),), sentence_ends=(1,)
    )
    written = save_correction(folder, correction.model_copy(update={"sentence_ends": (1,)}))
    written.with_suffix(".txt").unlink()
    written.with_suffix(".txt").symlink_to("/etc/passwd")
    return r"corrections: .*a link that leads out"


@kind
def correction_that_is_a_pipe(folder: Path) -> str:
    written = save_correction(folder, Correction(speech="good", mentioned={"a": True}))
    written.unlink()
    os.mkfifo(written)
    return r"corrections: .*not a file"


@kind
def settings_that_run_something(folder: Path) -> str | None:
    """A settings file in a corpus is not read unless it is in the current folder, or named."""
    (folder / "rostrum.toml").write_text("[transcribe]\nmodel = '/dev/zero'\n")
    return None
