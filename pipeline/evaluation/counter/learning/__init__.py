"""Learning from motions with known answers: terms, the configuration of SD, the weights of a ranker, a BERT."""
