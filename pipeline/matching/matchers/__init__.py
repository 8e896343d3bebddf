"""One file per kind of key point matcher.

Each has `MATCHER`, a `pipeline.matching.matcher.MatcherKind`, and is found by being here.
"""
