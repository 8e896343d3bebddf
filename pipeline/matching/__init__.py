"""Whether two sentences say the same.

Matchers of arguments with key points (`matcher`, `matchers/`), and encoders that were trained here (`weights`), which
mentions, answers and key points share.
"""

from pipeline.matching.matcher import Matcher, for_length, in_speech, load_matcher, matcher_digests

__all__ = ["Matcher", "for_length", "in_speech", "load_matcher", "matcher_digests"]
