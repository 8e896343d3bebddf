"""WebVTT subtitles with a time for every word."""

from functools import partial

from pipeline.export.formats import SpeechFormat
from pipeline.export.formats.vtt import vtt

FORMAT = SpeechFormat(".vtt", partial(vtt, word_times=True))
