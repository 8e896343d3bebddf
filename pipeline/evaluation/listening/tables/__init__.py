"""Tables beside the main one: the passages shown, the sentences heard, how people labelled, which rebuttal answers."""
