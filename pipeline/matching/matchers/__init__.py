"""The matchers of arguments with key points: each module lists its own in `MATCHERS`, and every module here is read.

A matcher is registered as a `pipeline.matching.matcher.MatcherKind`. A module with several describes them in `MEMBERS`,
a module with one in the first line of its docstring; the setting `keypoints.matcher` shows these lines.
"""
