"""One file per way to write key points for the arguments of one side of a topic.

Each has `GENERATOR`, a `pipeline.evaluation.keypoints.writing.Generator`, and is found by being here.
"""
