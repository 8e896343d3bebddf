"""Text in, values out: words, sentences, vectors, word errors. Nothing here knows audio or debates."""
