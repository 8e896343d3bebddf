"""Recognisers: speech in, words with times out.

`recogniser` says what a recogniser is. `engines` has one file for each. `windows` packs speech for those that decode a
fixed length at a time.
"""
