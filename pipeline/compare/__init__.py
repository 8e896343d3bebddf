"""Two or more runs of the same corpus side by side: errors, words, decisions, and pages with aligned transcripts."""
