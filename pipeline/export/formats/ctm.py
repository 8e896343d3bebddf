"""CTM (NIST): one word per line with start, duration and confidence."""

from pipeline.export.formats import RunFormat
from pipeline.formats.nist import ctm

FORMAT = RunFormat("words.ctm", lambda speeches: ctm({speech.id: speech.words for speech in speeches}))
