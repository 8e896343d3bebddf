"""One file per way to write key points for the arguments of one side of a topic.

Each has `GENERATOR`, a `pipeline.keypoints.evaluate.writing.Generator`, and is found by being here.
"""
