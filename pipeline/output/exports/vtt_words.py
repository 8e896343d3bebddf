"""WebVTT subtitles with a time for every word."""

from functools import partial

from pipeline.output.exports import SpeechFormat
from pipeline.output.exports.vtt import vtt

FORMAT = SpeechFormat(".vtt", partial(vtt, word_times=True))
