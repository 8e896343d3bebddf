"""What motions with known answers teach: terms, the configuration of SD, the weights of a ranker, a BERT."""
