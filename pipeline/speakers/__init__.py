"""Who is who in a recording of a debate: the role and the side of each voice, and who replies to whom.

What one debater says in a recording is a speech (`speeches`); the stages of arguments work on these.

Who is who is found in text: sentences, each with its voice, a label of diarization or a name. `who_is_who` goes these
steps; there are as many modules as kinds of evidence:

- `known_voices`: whose voice it is, if it was named in another recording.
- `names`, `calls`: which voice has which name. Who is introduced speaks next.
- `roles`: who moderates, debates, or asks from the floor.
- `wording`, `introductions`, `declarations`: clues on sides. How people are introduced, and what they ask to vote for.
- `own_words`, `stance_model`: what the debaters' own words say of the motion.
- `camps`: the sides of all debaters that fit best to all of this together.
- `replies`: whom each turn answers.
"""

from pipeline.records import Role
from pipeline.speakers.speeches import (
    NO_DEBATER,
    SpokenSpeech,
    key_of,
    speech_id,
    speeches_in,
    speeches_of,
    speeches_on,
)
from pipeline.speakers.stage import (
    GivenSpeaker,
    GivenSpeakers,
    KnownVoice,
    KnownVoices,
    Person,
    Reply,
    Speakers,
    SpeakersSettings,
    speakers,
)
from pipeline.speakers.stance_model import StanceModel, load_stance_model, stance_digests

__all__ = [
    "NO_DEBATER",
    "GivenSpeaker",
    "GivenSpeakers",
    "KnownVoice",
    "KnownVoices",
    "Person",
    "Reply",
    "Role",
    "Speakers",
    "SpeakersSettings",
    "SpokenSpeech",
    "StanceModel",
    "key_of",
    "load_stance_model",
    "speakers",
    "speech_id",
    "speeches_in",
    "speeches_of",
    "speeches_on",
    "stance_digests",
]
