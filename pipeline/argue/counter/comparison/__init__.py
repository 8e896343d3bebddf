"""How the sentences of two speeches compare: how similar they are, which contradict each other, which match."""
