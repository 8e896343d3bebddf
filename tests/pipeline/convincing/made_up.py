"""An encoder and a model that need no weights."""

import hashlib

import numpy as np

from pipeline.convincing.model import ConvincingModel, Provenance, train


class MadeUpEncoder:
    """A unit vector a text, by its words."""

    name = "made up"
    digest = "0" * 64

    def encode(self, texts):
        return np.stack([self._vector(text) for text in texts]).astype(np.float32)

    def _vector(self, text):
        vector = np.full(6, 0.1)
        for word in text.lower().split():
            vector[hashlib.sha256(word.encode()).digest()[0] % 6] += 1.0
        return vector / np.linalg.norm(vector)


REASON = "because studies prove it"
FILLER = ["maybe it is so", "i think", "well we saw it", "it was there", "some say no", "and then more"]


def topics_of_arguments(n_topics=4, per_topic=8, seed=0):
    """(texts, topic of each, winners, losers): a text with more reasons convinces more."""
    random = np.random.default_rng(seed)
    texts, topic_of = [], []
    for topic in range(n_topics):
        for strength in range(per_topic):
            parts = [f"topic{topic}", *random.choice(FILLER, 3), *[REASON] * strength]
            texts.append(" ".join(parts))
            topic_of.append(topic)
    pairs = [
        (t * per_topic + i, t * per_topic + j) for t in range(n_topics) for i in range(per_topic) for j in range(i)
    ]
    winner, loser = np.array(pairs).T
    return tuple(texts), np.array(topic_of), winner, loser


def made_up_model(view="spoken"):
    """Trained on made-up topics; `load_encoder` has to be the made-up one."""
    texts, topic_of, winner, loser = topics_of_arguments()
    encoder = MadeUpEncoder()
    facts = Provenance(view, encoder.name, encoder.digest, "made-up topics", "none", len(winner), 0.8, 0.75, 0.85, 0.6)
    return ConvincingModel(train(texts, topic_of, winner, loser, facts), facts)
