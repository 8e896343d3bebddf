"""Figures over many items: agreement, decisions, prediction of human scores, intervals."""
