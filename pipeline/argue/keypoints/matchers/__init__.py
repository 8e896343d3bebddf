"""One file per kind of key point matcher.

Each has `MATCHER`, a `pipeline.argue.keypoints.matcher.MatcherKind`, and is found by being here.
"""
