import numpy as np
import pytest

from pipeline.keypoints.evaluate.matchers import AgainstRivals


def test_rivals_take_from_a_score_and_never_change_the_best_key_point():
    class Fixed:
        name, digest, threshold = "fixed", "", 0.5

        def scores(self, topic, arguments, key_points):
            return np.array([[0.8, 0.2, 0.1], [0.8, 0.8, 0.0]])[:, : len(key_points)]

    scores = AgainstRivals(Fixed(), "against rivals").scores("A topic", ["a", "b"], ["c", "d", "e"])
    assert scores.tolist() == [pytest.approx([0.68, -0.28, -0.38]), pytest.approx([0.32, 0.32, -0.48])]
    assert AgainstRivals(Fixed(), "alone").scores("A topic", ["a", "b"], ["c"]).tolist() == [[0.8], [0.8]]
