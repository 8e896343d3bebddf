"""Where sentences end: at punctuation, at pauses, or where a trained tagger says so."""
