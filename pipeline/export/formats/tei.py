"""TEI: transcripts with a timeline after ISO 24624, and debates as parliaments publish them, after ParlaMint."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement

from pipeline.export.formats import SpeechFormat, xml_document, xml_text
from pipeline.export.speech import AnnotatedSpeech, Interval
from pipeline.records import Role, Sentence, Word

MEMBERS = {
    "tei": "TEI after ISO 24624: utterances with speakers, a time for every word, and mentioned arguments.",
    "parlamint": "TEI after ParlaMint: who says what, in paragraphs, as the record of a parliament.",
}
_TEI = "http://www.tei-c.org/ns/1.0"
_ID, _LANG = "{http://www.w3.org/XML/1998/namespace}id", "{http://www.w3.org/XML/1998/namespace}lang"
# Signs after a word, which TEI has in an element of their own.
_PUNCTUATION = ".,;:?!…"
# Who speaks, in the words of ParlaMint.
_ROLES: Mapping[Role, str] = {"moderator": "#chair", "questioner": "#guest", "audience": "#guest"}


def tei(speech: AnnotatedSpeech) -> str:
    """The speech as TEI after ISO 24624.

    Each turn is an `annotationBlock` with an utterance of sentences (`seg`) and words (`w`). Anchors between words
    refer to a common timeline. `cert` of a word is the recogniser's confidence. A mentioned argument is a span of time.
    """
    times = _timeline(speech)
    people = _people(speech)
    root = _document(speech, people)
    text = SubElement(root, "text", {_LANG: speech.language or "und"})
    timeline = SubElement(text, "timeline", unit="s", origin="#T0")
    for at, name in times.items():
        moment = {} if name == "T0" else {"interval": f"{at / 1000:.3f}", "since": "#T0"}
        SubElement(timeline, "when", {_ID: name, **moment})
    body = SubElement(text, "body")
    _Blocks(speech, times, people).add_to(body)
    return xml_document(root)


def parlamint(speech: AnnotatedSpeech) -> str:
    """The speech as TEI whose text is encoded after ParlaMint: utterances of paragraphs, without times."""
    people = _people(speech)
    root = _document(speech, people)
    text = SubElement(root, "text", {_LANG: speech.language or "und"})
    section = SubElement(SubElement(text, "body"), "div", type="debateSection")
    if speech.doubt:
        SubElement(section, "note").text = xml_text(speech.doubt)
    for number, (speaker, sentences) in enumerate(groupby(speech.sentences, key=lambda each: each.speaker), start=1):
        who = {"who": f"#{people[speaker]}"} if speaker is not None else {}
        role = _ROLES.get(speech.roles.get(speaker or "", "debater"), "#regular")
        said = SubElement(section, "u", {_ID: f"u{number}", "ana": role, **who})
        for index, sentence in enumerate(sentences, start=1):
            SubElement(said, "seg", {_ID: f"u{number}.seg{index}"}).text = xml_text(sentence.text)
    return xml_document(root)


def _timeline(speech: AnnotatedSpeech) -> dict[int, str]:
    """The name of every time in milliseconds at which a word or a mention begins or ends, in order, from 0."""
    parts = (speech.words, speech.sentences, speech.mentions)
    times = {0, *(round(at * 1000) for part in parts for timed in part for at in (timed.start, timed.end))}
    return {at: f"T{number}" for number, at in enumerate(sorted(times))}


def _people(speech: AnnotatedSpeech) -> dict[str, str]:
    """The id of each speaker in the document."""
    named = dict.fromkeys([*speech.speakers, *(sentence.speaker for sentence in speech.sentences if sentence.speaker)])
    return {name: f"SPK{number}" for number, name in enumerate(named)}


def _document(speech: AnnotatedSpeech, people: Mapping[str, str]) -> Element:
    """The document with its header: what it is a transcript of, who speaks, and what made it."""
    root = Element("TEI", {"xmlns": _TEI})
    header = SubElement(root, "teiHeader")
    file = SubElement(header, "fileDesc")
    SubElement(SubElement(file, "titleStmt"), "title").text = xml_text(speech.id)
    publication = f"Not published. Made by rostrum{f', {speech.created}' if speech.created else ''}."
    SubElement(SubElement(file, "publicationStmt"), "p").text = publication
    source = SubElement(SubElement(file, "sourceDesc"), "recordingStmt")
    recording = SubElement(source, "recording", {"type": "audio", "dur-iso": f"PT{speech.duration:.3f}S"})
    for fact in speech.facts or (speech.id,):
        SubElement(recording, "p").text = xml_text(fact)
    encoding = SubElement(header, "encodingDesc")
    application = SubElement(
        SubElement(encoding, "appInfo"), "application", ident="rostrum", version=version("rostrum")
    )
    is_corrected = ", corrected by a person" if speech.is_corrected else ""
    SubElement(application, "desc").text = f"recogniser: {xml_text(speech.recogniser) or 'not known'}{is_corrected}"
    if people:
        listed = SubElement(SubElement(SubElement(header, "profileDesc"), "particDesc"), "listPerson")
        for name, id in people.items():
            SubElement(SubElement(listed, "person", {_ID: id}), "persName").text = xml_text(name)
    return root


class _Blocks:
    """Adds a block for each turn to the body, with ids that count on."""

    def __init__(self, speech: AnnotatedSpeech, times: Mapping[int, str], people: Mapping[str, str]) -> None:
        self._speech, self._times, self._people = speech, times, people
        self._segments = self._words = 0
        self._mentions = sorted(speech.mentions)

    def add_to(self, body: Element) -> None:
        turns = [list(turn) for _, turn in groupby(self._speech.sentences, key=lambda sentence: sentence.speaker)]
        ends = [*(turn[0].start for turn in turns), float("inf")][1:]
        for number, (turn, end) in enumerate(zip(turns, ends, strict=True), start=1):
            name = turn[0].speaker
            who = {"who": f"#{self._people[name]}"} if name is not None else {}
            times = {"start": self._time(turn[0].start), "end": self._time(max(each.end for each in turn))}
            block = SubElement(body, "annotationBlock", {_ID: f"ab{number}", **who, **times})
            utterance = SubElement(block, "u", {_ID: f"u{number}"})
            for sentence in turn:
                self._add_sentence(utterance, sentence)
            if mentions := list(self._mentions_before(end)):
                group = SubElement(block, "spanGrp", type="argument")
                for mention in mentions:
                    span = {"from": self._time(mention.start), "to": self._time(mention.end)}
                    SubElement(group, "span", span).text = xml_text(mention.text)

    def _add_sentence(self, utterance: Element, sentence: Sentence) -> None:
        self._segments += 1
        segment = SubElement(utterance, "seg", {_ID: f"seg{self._segments}", "type": "utterance"})
        at = None
        for word in self._speech.words[sentence.first : sentence.last]:
            if at != round(word.start * 1000):
                SubElement(segment, "anchor", synch=self._time(word.start))
            self._add_word(segment, word)
            SubElement(segment, "anchor", synch=self._time(word.end))
            at = round(word.end * 1000)

    def _add_word(self, segment: Element, word: Word) -> None:
        """A word, and the punctuation after it."""
        self._words += 1
        text = xml_text(word.text)
        plain = text.rstrip(_PUNCTUATION)
        signs = text[len(plain) :] if plain else ""
        sure = {} if word.probability is None else {"cert": f"{word.probability:.4g}"}
        joined = {"join": "right"} if signs else {}
        SubElement(segment, "w", {_ID: f"w{self._words}", **joined, **sure}).text = plain or text
        if signs:
            SubElement(segment, "pc").text = signs

    def _mentions_before(self, end: float) -> Iterator[Interval]:
        while self._mentions and self._mentions[0].start < end:
            yield self._mentions.pop(0)

    def _time(self, seconds: float) -> str:
        return f"#{self._times[round(seconds * 1000)]}"


FORMATS = {"tei": SpeechFormat(".tei.xml", tei), "parlamint": SpeechFormat(".parlamint.xml", parlamint)}
