"""Carries out a run by itself: stages, jobs, the plan, the schedule, the store, the summary."""
