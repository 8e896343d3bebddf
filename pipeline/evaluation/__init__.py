"""One package per published evaluation: its data, its methods, its table, its training."""
