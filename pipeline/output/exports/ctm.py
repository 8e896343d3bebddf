"""CTM (NIST): one word per line with start, duration and confidence."""

from pipeline.formats.ctm import ctm
from pipeline.output.exports import RunFormat

FORMAT = RunFormat("words.ctm", lambda speeches: ctm({speech.id: speech.words for speech in speeches}))
