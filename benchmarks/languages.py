"""What a model hears of other languages, by espeak-ng's voices, and the processor time beside that of English.

    python benchmarks/languages.py --model small --model base.en

It needs the program espeak-ng. These are made voices: easier than people in some ways, and harder in others.
"""

import argparse
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pipeline.diarize import DiarizeSettings, diarize
from pipeline.ingest import ingested
from pipeline.score.stage import word_errors
from pipeline.transcribe import TranscribeSettings
from pipeline.transcribe.recogniser import Recognised, Recogniser, engine
from pipeline.transcribe.stage import Doubt

SAID = {
    "en": (
        "Ladies and gentlemen, we should ban mobile phones in schools. A phone in the pocket distracts pupils from "
        "the lesson. Every message costs the reader several minutes. Pupils are bullied with pictures that are "
        "taken during the school day. So I ask you to vote for the motion."
    ),
    "de": (
        "Meine Damen und Herren, wir sollten Handys in den Schulen verbieten. Ein Handy in der Tasche lenkt vom "
        "Unterricht ab. Jede Nachricht kostet den Schüler mehrere Minuten. Auch die Nachbarn schauen auf den "
        "Bildschirm. Deshalb bitte ich Sie, für den Antrag zu stimmen."
    ),
    "es": (
        "Señoras y señores, no debemos prohibir los teléfonos en las escuelas. Los alumnos usan el teléfono para "
        "buscar información y para aprender. Los padres tienen que poder llamar a sus hijos en una emergencia. Por "
        "eso les pido que voten en contra."
    ),
    "fr": (
        "Mesdames et messieurs, je pense qu'il ne faut pas interdire les téléphones à l'école. Les enfants doivent "
        "apprendre à utiliser leur téléphone avec mesure. Les parents veulent pouvoir joindre leurs enfants en cas "
        "d'urgence. Je vous demande donc de voter contre cette proposition."
    ),
    "it": (
        "Signore e signori, non dobbiamo vietare i telefoni nelle scuole. Gli alunni usano il telefono per cercare "
        "informazioni e per imparare. I genitori devono poter chiamare i loro figli in caso di emergenza. Per "
        "questo vi chiedo di votare contro."
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", help="a Whisper model; repeat it to compare several")
    print("model\tspoken\theard as\tprobability\tWER\tCER\tdoubtful\tprocessor s\tper second, English = 1")
    for model in parser.parse_args().model or ["base.en", "small"]:
        for row in rows(TranscribeSettings(model=model)):
            print(model, *row, sep="\t", flush=True)


def rows(settings: TranscribeSettings) -> Iterator[tuple[object, ...]]:
    """A row for each language. English is recognised twice, as the first time a model also gets ready."""
    recogniser = engine(settings).load(settings)
    with TemporaryDirectory() as folder:
        _heard(recogniser, "en", Path(folder))
        of_english = 0.0
        for language, said in SAID.items():
            heard, seconds, took = _heard(recogniser, language, Path(folder))
            of_english = of_english or took / seconds
            errors = word_errors(said, [word.text for word in heard.words], "whisper", language)
            doubt = Doubt.of(heard.words, heard.segments)
            yield (
                *(language, heard.language, heard.language_probability, round(errors.wer or 0, 3)),
                *(round(errors.cer or 0, 3), f"{doubt.doubtful} of {doubt.words}"),
                *(round(took, 2), round(took / seconds / of_english, 2)),
            )


def _heard(recogniser: Recogniser, language: str, folder: Path) -> tuple[Recognised, float, float]:
    """(what was recognised, seconds of speech, processor seconds of recognition)."""
    audio = folder / f"{language}.wav"
    voice = {"en": "en-us", "fr": "fr-fr"}.get(language, language)
    subprocess.run(["espeak-ng", "-v", voice, "-s", "135", "-w", audio, SAID[language]], check=True)
    with ingested(audio) as recording:
        turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
        seconds = sum(end - start for start, end in turns.stretches)
        began = time.process_time()
        heard = recogniser.transcribe(recording.samples, turns.stretches, None)
    return heard, seconds, time.process_time() - began


if __name__ == "__main__":
    main()
